internal import CSimulation
internal import EventLoop
internal import Fixtures
internal import Glibc

/// What one history has in common: its clock, its chance, and what happened in it.
@EventLoop
final class World {
  let clock = SimulatedClock()
  let seed: UInt64
  private(set) var story: [String] = []
  /// What was wrong; the first is why the history ends.
  private(set) var violations: [String] = []
  var weather = Weather.calm
  /// What is wrong with the disk that the daemon has its state on.
  var disk = BadDisk() { didSet { wasDiskBad = true } }
  private(set) var wasDiskBad = false
  private var numbers: SeededNumbers
  /// Is called, once, when something that counts has just left the daemon.
  var whenSomethingLeft: (@EventLoop () -> Void)?
  /// Whether the civil clock was ever wrong.
  var wasClockWrong = false
  /// Whether the platform ever changed its keys, which a device asks for no more than once a minute.
  var haveKeysChanged = false
  /// How many of a hundred waits end about when something is due.
  var nearness = 0
  /// The last part of the path of what is asked in vain more often than not.
  var outage: String?
  /// When something is due that is known to somebody who wants to be in its way.
  var dues: @EventLoop () -> [Duration] = { [] }
  private var turns = 0
  private let tells: Bool

  /// More of them than a history can need: something goes round without end.
  private static let mostTurns = 100_000

  /// Makes everything that is done from now on go by a seed alone: time, and every number drawn anywhere.
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

  // MARK: Chance

  func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

  /// Whether something happens that does in so many of a hundred cases.
  func happens(_ percent: Int) -> Bool { number(1...100) <= percent }

  func any<C: RandomAccessCollection>(of choices: C) -> C.Element? { choices.randomElement(using: &numbers) }

  /// The longest that a message is on its way, in any weather.
  static let longestWay = 30

  /// Some milliseconds, or in a few cases seconds.
  func delay(slow percent: Int = 0) -> Duration {
    if let near = near(within: .seconds(Self.longestWay - 1)) { return near }
    return .milliseconds(number(happens(percent) ? 1000...Self.longestWay * 1000 : 1...150))
  }

  /// Now and then, how long it is until just before or after something else is due: the end of a request, or one of
  /// the times that programs wait for.
  func near(within longest: Duration) -> Duration? {
    guard happens(nearness) else { return nil }
    let waits = [1, 2, 4, 5, 8].map { Duration.seconds($0) }
    let dues = dues().map { $0 - clock.uptime }.filter { $0 <= longest }
    guard let due = any(of: happens(50) && !dues.isEmpty ? dues : waits) else { return nil }
    return max(.zero, due + .milliseconds(happens(20) ? 0 : number(-300...300)))
  }

  /// Something that counts has left the daemon, which may end now for that very reason.
  func left() {
    let happen = whenSomethingLeft
    whenSomethingLeft = nil
    happen?()
  }

  // MARK: The story

  func note(_ event: @autoclosure () -> String) {
    story.append("\(clock.uptime - .seconds(1000)) \(event())")
    if tells { say(story.last ?? "") }
  }

  /// What is told only to whoever looks at one history.
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

/// What becomes of messages on their way, in percent of them.
struct Weather {
  var lost = 0
  var doubled = 0
  var slow = 0
  /// The courier says nothing more about an exchange.
  var hanging = 0
  /// Something else comes than what was sent.
  var garbled = 0
  /// The platform understands, and does not take it.
  var refused = 0

  static let calm = Weather()
}

/// Says a line to whoever plays histories, at once: what ends the process by a trap was told before.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}
