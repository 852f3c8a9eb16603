"""How long anything is waited for."""

PATIENCE = 180
"""Seconds after which something that should have happened counts as not happening: a guard against hanging, no measure."""
