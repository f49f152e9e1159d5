"""Lets the tests of each system import what lies beside this file."""

#: Tests that fail are what a stranger sees there.
collect_ignore = ["first_encounters"]
