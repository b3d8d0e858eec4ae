"""Stories: saved views in an order, each with a caption whose numbers are worked out while it is shown."""

from hierviz.stories.captions import caption_text
from hierviz.stories.of_a_link import VIEW_CAPTIONS, link_of_step, step_from_link
from hierviz.stories.of_the_demo import demo_story
from hierviz.stories.story_step import StoryStep, model_keys, stories_from, story_from, view_settings

__all__ = [
    "VIEW_CAPTIONS",
    "StoryStep",
    "caption_text",
    "demo_story",
    "link_of_step",
    "model_keys",
    "step_from_link",
    "stories_from",
    "story_from",
    "view_settings",
]
