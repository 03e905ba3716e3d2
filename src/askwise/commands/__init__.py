"""The commands, one to a file. What computes is imported by the command that needs it."""
