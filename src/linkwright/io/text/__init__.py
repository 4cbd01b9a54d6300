"""Text into plain trees and numbers: XML, a part of YAML, bytes from files that strangers name."""
