"""Lets the tests of each system import what lies beside this file."""
