"""The parts of the page that shows the taxonomy with numbers of every class."""
