"""Stories: saved views in an order, each with a caption whose numbers are worked out while it is shown."""

from hierviz.stories.captions import caption_text
from hierviz.stories.demo_story import demo_story
from hierviz.stories.story_step import StoryStep, model_keys, stories_from, story_from, view_settings

__all__ = ["StoryStep", "caption_text", "demo_story", "model_keys", "stories_from", "story_from", "view_settings"]
