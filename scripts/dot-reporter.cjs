// The dot reporter of mocha, which also names the tests that were skipped. Mocha loads reporters with `require`.
const { Runner, reporters } = require('mocha');

module.exports = class DotReporter extends reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    runner.on(Runner.constants.EVENT_TEST_PENDING, (test) => console.log(`\nskipped: ${test.fullTitle()}`));
  }
};
