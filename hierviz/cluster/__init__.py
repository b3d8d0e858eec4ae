"""The same evaluation on a Dask cluster: rows in partitions, a piece from each, merged in the order of the rows."""
