import type { Story, StoryStep } from '../../domain/stories/story.js';
import { readStories } from './story-files.js';

/**
 * The steps of a demo: what it has when it starts, oldest first, and what it publishes and retracts afterwards. A story in
 * another language comes after the one that it follows.
 */
export function storyOrder(otherLanguages: boolean): {
  readonly backlog: readonly StoryStep[];
  readonly live: readonly StoryStep[];
} {
  const { stories, order } = readStories();
  const storyOf = (name: string): Story => {
    const story = stories.get(name);
    if (story === undefined) throw new Error(`stories/order.json names ${name}, which no file has`);
    return story;
  };
  const publish = (name: string): StoryStep => ({ kind: 'publish', story: storyOf(name) });
  const following = otherLanguages ? order.otherLanguages : [];
  const withFollowing = (step: StoryStep): readonly StoryStep[] => [
    step,
    ...following.filter(({ after }) => after === step.story.id).map((one) => publish(one.publish)),
  ];
  const live = order.live.map(
    (step): StoryStep =>
      'publish' in step ? publish(step.publish) : { kind: 'retract', story: storyOf(step.retract) },
  );
  return { backlog: order.backlog.map(publish).flatMap(withFollowing), live: live.flatMap(withFollowing) };
}
