/** The commands of users, and their purposes. The program of the service lists them beside its own. */
export const USER_COMMANDS = {
  news: 'print the newest items',
  follow: 'print each change as it happens',
  markets: 'find markets: by id, URL, token or words',
  history: 'print the changes of the past',
  export: 'write the history of the feed to a file, and continue it',
  usage: 'print plan and limits of the key',
  key: 'print what is set for the key',
  'verify-webhook': 'verify a delivery that a webhook has received',
} as const;

export type UserCommand = keyof typeof USER_COMMANDS;

export const isUserCommand = (name: string): name is UserCommand => Object.hasOwn(USER_COMMANDS, name);
