"""`linkwright reproduce`: every table and figure of the papers, from our implementations, beside the papers' numbers.

item.py       what an item of a paper is, and what it may show: tables, figures, checks
run.py        what a measurement is given: sizes, robots, peers, clocks
records.py    finished items as files, so that an interrupted run goes on where it was
report.py     one HTML file of all of it
papers/       the items, one module per paper or family of items
"""
