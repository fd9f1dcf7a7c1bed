"""Fixes: code that makes a culprit cross, as edits to the user's source files, one recipe or more for each kind."""
