"""The commands, one to a file, each named like its file. What computes is imported inside, when it is needed."""
