"""Shapes, surfaces and pairs: what of a mechanism can touch, and by which law. algorithms/contact computes with it."""

from .law import USUAL_LAW, ContactLaw, EqualitySoftness, JointSoftness
from .pair import ContactPair, ContactPoint, contact, is_computed, ordered, points_of
from .shape import Shape, box, capsule, convex, cylinder, ellipsoid, plane, sphere
from .softness import Softness
from .surface import Interaction, Surface

__all__ = [
    "USUAL_LAW", "ContactLaw", "ContactPair", "ContactPoint", "EqualitySoftness", "Interaction", "JointSoftness",
    "Shape", "Softness", "Surface", "box", "capsule", "contact", "convex", "cylinder", "ellipsoid", "is_computed",
    "ordered", "plane", "points_of", "sphere",
]  # fmt: skip
