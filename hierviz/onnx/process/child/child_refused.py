"""What a job refuses, for all files of this program."""


class Refused(Exception):
    """What we do not open, in words that fit after "where: "."""
