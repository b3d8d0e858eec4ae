"""What is opened, and how it is read: one record of it, its options on the command line and in forms, and the loader."""
