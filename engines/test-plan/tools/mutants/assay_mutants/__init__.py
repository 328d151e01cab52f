"""Tries mutants of Python code in forks of a process that has loaded the tests. Standard library only."""
