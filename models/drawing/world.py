"""The drawn world: its taxonomy, and for every leaf how to draw it and where it belongs."""

from collections.abc import Callable
from dataclasses import dataclass

from . import air, boats, cars, lorries, machines, rail, ships, two_wheelers

ROOT = "vehicle"

# Order matters: it is the order of nodes, and so of classes, in every file of the demo.
_CHILDREN = {
    "vehicle": ("land vehicle", "watercraft", "aircraft"),
    "land vehicle": ("road vehicle", "rail vehicle", "working machine"),
    "road vehicle": ("two-wheeler", "car", "goods vehicle", "bus"),
    "two-wheeler": ("bicycle", "motor scooter", "motorcycle"),
    "car": ("sedan", "hatchback", "station wagon", "SUV", "convertible"),
    "goods vehicle": ("pickup", "delivery van", "heavy truck"),
    "heavy truck": ("box truck", "tank truck", "dump truck"),
    "bus": ("city bus", "double-decker bus"),
    "rail vehicle": ("tram", "locomotive", "high-speed train"),
    "locomotive": ("steam locomotive", "diesel locomotive"),
    "working machine": ("tractor", "excavator", "forklift"),
    "watercraft": ("paddled boat", "sailing vessel", "motor vessel", "submarine"),
    "paddled boat": ("canoe", "rowing boat"),
    "sailing vessel": ("sailing boat", "tall ship"),
    "sailing boat": ("dinghy", "yacht"),
    "motor vessel": ("motorboat", "tugboat", "ferry", "cargo ship"),
    "cargo ship": ("container ship", "oil tanker"),
    "aircraft": ("aeroplane", "helicopter", "lighter-than-air"),
    "aeroplane": ("airliner", "light aircraft", "glider"),
    "light aircraft": ("monoplane", "biplane"),
    "lighter-than-air": ("hot-air balloon", "airship"),
}


def edges(node=ROOT):
    """All (parent, child) pairs, depth first."""
    return [pair for child in _CHILDREN.get(node, ()) for pair in ((node, child), *edges(child))]


PARENT = {child: parent for parent, child in edges()}


@dataclass(frozen=True)
class Kind:
    """How to draw a leaf, the grounds where it belongs, and its height in pen units (two units are its usual length)."""

    draw: Callable
    grounds: tuple
    height: float


KINDS = {
    "bicycle": Kind(two_wheelers.bicycle, ("road", "field"), 1.1),
    "motor scooter": Kind(two_wheelers.motor_scooter, ("road",), 1.35),
    "motorcycle": Kind(two_wheelers.motorcycle, ("road",), 1.1),
    "sedan": Kind(cars.sedan, ("road",), 0.85),
    "hatchback": Kind(cars.hatchback, ("road",), 0.95),
    "station wagon": Kind(cars.station_wagon, ("road",), 0.9),
    "SUV": Kind(cars.suv, ("road", "field"), 1.15),
    "convertible": Kind(cars.convertible, ("road",), 0.9),
    "pickup": Kind(lorries.pickup, ("road", "field"), 1.0),
    "delivery van": Kind(lorries.delivery_van, ("road",), 1.1),
    "box truck": Kind(lorries.box_truck, ("road",), 1.3),
    "tank truck": Kind(lorries.tank_truck, ("road",), 1.1),
    "dump truck": Kind(lorries.dump_truck, ("road", "yard"), 1.4),
    "city bus": Kind(lorries.city_bus, ("road",), 0.9),
    "double-decker bus": Kind(lorries.double_decker_bus, ("road",), 1.3),
    "tram": Kind(rail.tram, ("rail",), 1.35),
    "steam locomotive": Kind(rail.steam_locomotive, ("rail",), 1.5),
    "diesel locomotive": Kind(rail.diesel_locomotive, ("rail",), 1.1),
    "high-speed train": Kind(rail.high_speed_train, ("rail",), 0.9),
    "tractor": Kind(machines.tractor, ("field",), 1.45),
    "excavator": Kind(machines.excavator, ("field", "yard"), 1.45),
    "forklift": Kind(machines.forklift, ("yard",), 1.5),
    "canoe": Kind(boats.canoe, ("water",), 0.8),
    "rowing boat": Kind(boats.rowing_boat, ("water",), 0.8),
    "dinghy": Kind(boats.dinghy, ("water",), 1.65),
    "yacht": Kind(boats.yacht, ("water",), 1.85),
    "tall ship": Kind(boats.tall_ship, ("water",), 1.7),
    "motorboat": Kind(ships.motorboat, ("water",), 0.85),
    "tugboat": Kind(ships.tugboat, ("water",), 1.5),
    "ferry": Kind(ships.ferry, ("water",), 1.35),
    "container ship": Kind(ships.container_ship, ("water",), 1.2),
    "oil tanker": Kind(ships.oil_tanker, ("water",), 1.2),
    "submarine": Kind(ships.submarine, ("water",), 1.2),
    "airliner": Kind(air.airliner, ("sky",), 1.0),
    "monoplane": Kind(air.monoplane, ("sky",), 1.0),
    "biplane": Kind(air.biplane, ("sky",), 1.2),
    "glider": Kind(air.glider, ("sky",), 0.8),
    "helicopter": Kind(air.helicopter, ("sky",), 1.15),
    "hot-air balloon": Kind(air.hot_air_balloon, ("sky",), 1.9),
    "airship": Kind(air.airship, ("sky",), 1.05),
}


def realm(kind):
    """The child of the root above a leaf."""
    while PARENT[kind] != ROOT:
        kind = PARENT[kind]
    return kind


def unusual_grounds(kind):
    """Where a leaf is found by accident; nothing is found on a railway that does not belong there."""
    return tuple(g for g in ("road", "field", "yard", "water", "sky") if g not in KINDS[kind].grounds)
