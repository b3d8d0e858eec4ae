"""`python -m hierviz` is the `hierviz` command."""

import sys

from hierviz.cli import main

sys.exit(main())
