"""What algorithms share: the outward sweep, the elimination of one joint, torques that act of themselves."""
