"""Readings of meters."""
