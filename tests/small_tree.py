"""The small tree of most tests, and what goes with it.

animal
├── mammal
│   ├── cat
│   └── dog
├── bird
│   └── duck          (an only child: bird and duck carry the same information)
└── newt
"""

EDGES = [
    ("animal", "mammal"),
    ("mammal", "cat"),
    ("mammal", "dog"),
    ("animal", "bird"),
    ("bird", "duck"),
    ("animal", "newt"),
]
# In the order of the taxonomy.
LEAVES = ["cat", "dog", "duck", "newt"]
EDGES_CSV = "".join(f"{parent},{child}\n" for parent, child in EDGES)
