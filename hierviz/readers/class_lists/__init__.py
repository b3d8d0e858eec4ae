"""Lists of class names, one form a file: which class each column of scores is. `registry` knows them all."""
