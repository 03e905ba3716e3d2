"""The commands, one file each. They import what computes only when needed."""
