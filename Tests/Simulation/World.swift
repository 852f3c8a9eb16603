internal import CSimulation
internal import EventLoop
internal import Fixtures
internal import Glibc

/// Shared state of one run: clock, random numbers, log and violations.
@EventLoop
final class World {
  let clock = SimulatedClock()
  let seed: UInt64
  private(set) var story: [String] = []
  /// Violations.
  ///
  /// The first one ends the run.
  private(set) var violations: [String] = []
  var weather = Weather.calm
  /// Faults of the disk with the daemon's state.
  var disk = BadDisk() { didSet { wasDiskBad = true } }
  private(set) var wasDiskBad = false
  private var numbers: SeededNumbers
  /// Called once, when the daemon has just sent a message with an effect.
  var whenSomethingLeft: (@EventLoop () -> Void)?
  /// True if the civil clock was ever wrong.
  var wasClockWrong = false
  /// True if the platform ever changed its keys.
  ///
  /// A device fetches them at most once a minute.
  var haveKeysChanged = false
  /// Percentage of waits that end near another event.
  var nearness = 0
  /// Last path component of requests that mostly get no response.
  var outage: String?
  /// Returns the times of events that an action could collide with.
  var dues: @EventLoop () -> [Duration] = { [] }
  private var turns = 0
  private let tells: Bool

  /// Maximum number of loop iterations.
  ///
  /// More indicate an endless loop.
  private static let mostTurns = 100_000

  /// Makes everything depend only on the seed: the time, and each random number of the process.
  init(seed: UInt64, tells: Bool) {
    (self.seed, self.tells) = (seed, tells)
    numbers = SeededNumbers(seed)
    seeded_random_start(seed)
    EventLoop.simulate { [clock] in
      clock.uptime
    } jitter: { [unowned self] range in
      Int.random(in: range, using: &numbers)
    } whenIdle: { [unowned self] next in
      goOn(next)
    }
  }

  private func goOn(_ next: Duration?) {
    turns += 1
    guard let next, turns < Self.mostTurns else {
      violate(next == nil ? "nothing will ever happen again" : "it does not come to rest")
      report()
      _exit(1)
    }
    clock.pass(next)
  }

  // MARK: Random numbers

  func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

  /// True in this percentage of cases.
  func happens(_ percent: Int) -> Bool { number(1...100) <= percent }

  func any<C: RandomAccessCollection>(of choices: C) -> C.Element? { choices.randomElement(using: &numbers) }

  /// Maximum transit time of a message in seconds, with any faults.
  static let longestWay = 30

  /// Returns a delay of milliseconds, or in some cases of seconds.
  func delay(slow percent: Int = 0) -> Duration {
    if let near = near(within: .seconds(Self.longestWay - 1)) { return near }
    return .milliseconds(number(happens(percent) ? 1000...Self.longestWay * 1000 : 1...150))
  }

  /// Sometimes returns the time until just before or after another event: the end of a request, or a typical
  /// wait of programs.
  func near(within longest: Duration) -> Duration? {
    guard happens(nearness) else { return nil }
    let waits = [1, 2, 4, 5, 8].map { Duration.seconds($0) }
    let dues = dues().map { $0 - clock.uptime }.filter { $0 <= longest }
    guard let due = any(of: happens(50) && !dues.isEmpty ? dues : waits) else { return nil }
    return max(.zero, due + .milliseconds(happens(20) ? 0 : number(-300...300)))
  }

  /// Records that the daemon sent a message with an effect.
  ///
  /// A test may crash the daemon at this moment.
  func left() {
    let happen = whenSomethingLeft
    whenSomethingLeft = nil
    happen?()
  }

  // MARK: The log

  func note(_ event: @autoclosure () -> String) {
    story.append("\(clock.uptime - .seconds(1000)) \(event())")
    if tells { say(story.last ?? "") }
  }

  /// Prints a line only when a single run is traced.
  func detail(_ event: @autoclosure () -> String) {
    if tells { say("\(clock.uptime - .seconds(1000))   \(event())") }
  }

  func violate(_ reason: String) {
    note("WRONG: \(reason)")
    violations.append(reason)
  }

  func report() {
    guard !violations.isEmpty else { return }
    if !tells { for line in story.suffix(400) { say("  " + line) } }
    say("seed \(seed): \(violations.joined(separator: "; "))")
    say("again: Tests/simulate --seed \(seed)")
  }
}

/// The fault profile: effects on messages in transit, in percent.
struct Weather {
  var lost = 0
  var doubled = 0
  var slow = 0
  /// The courier never replies to an exchange.
  var hanging = 0
  /// A wrong response arrives.
  var garbled = 0
  /// The platform refuses the request.
  var refused = 0

  static let calm = Weather()
}

/// Prints a line without buffering, so that it survives a trap.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}
