internal import EventLoop
internal import Glibc
internal import JSON
internal import OpenSSL
internal import UnixSockets

/// One simulated run of a machine with several owners, determined by a seed, and its checks.
@EventLoop
final class History {
  /// An owner, with the accounts that the run knows.
  struct Person {
    let owner: uid_t
    var clients: [Client] = []
    var timed: (account: String, secret: [UInt8])?
    var counted: (account: String, secret: [UInt8])?
    var device: String?
    var user: String?
    /// Pairing keys that were entered and are not known to have completed.
    var typed: [Typed] = []
    /// True if everything was erased and nothing was requested since.
    var isErased = false
    /// Requested erasures without a complete outcome: no reply came, or they could not be stored completely.
    ///
    /// Cleared when the owner adds something.
    var erasures: Set<Int> = []
    var mayBeErased: Bool { !erasures.isEmpty }
  }

  struct Typed {
    let key: String
    let user: String
    let secret: [UInt8]
  }

  let world: World
  let judge: Judge
  let platform: Platform
  let link: Link
  let secrets = Secrets()
  let temper: Temper
  var people: [Person]
  var machine: Machine
  private let directory: String
  private var starts = 0
  /// Number of requested erasures.
  var erasuresBegun = 0
  /// Uptime of the last start.
  ///
  /// No step sets the clock at this uptime, since the starting machine still reads the clock.
  private(set) var startedAt = Duration.zero
  /// Index of the owner that acted last.
  var latest = 0
  /// Accounts with a requested removal.
  var doomed: Set<String> = []
  /// Owners with an addition in progress; one entry per addition.
  var making: [uid_t] = []

  init(seed: UInt64, from template: Template, in directory: String, tells: Bool) throws {
    self.directory = directory
    world = World(seed: seed, tells: tells)
    temper = Temper(world)
    judge = Judge(world, secrets)
    platform = Platform(template.state, key: template.key, world, judge)
    link = try Link(at: directory + "/courier", world, to: platform, secrets)
    people = template.people
    // Some runs include owners that have nothing yet.
    if world.happens(60) { people += Template.newcomers.map { Person(owner: $0) } }
    for secret in template.secrets { secrets.add(secret) }
    machine = try Machine(
      on: template.disk.copy(to: directory + "/0"),
      courier: directory + "/courier",
      in: world
    )
    (world.nearness, world.outage) = (temper.nearness, temper.outage)
    world.dues = { [unowned judge] in judge.dues }
    judge.expiry = { [unowned platform, world] in
      platform.state.pushes[$0].map { world.clock.uptime + .seconds($0.expiresAt - platform.now) }
    }
    judge.standing = { [unowned platform] in platform.state.pushes[$0]?.standing }
    judge.accepted = { [unowned platform] in platform.state.pushes[$0]?.accepted }
  }

  /// Runs the simulation and returns the violations.
  func run() async -> [String] {
    for index in people.indices { await connect(index, subscribes: true) }
    if world.happens(40) { world.weather = temper.storm }
    for _ in 0..<temper.length where world.violations.isEmpty {
      let pause = pause()
      try? await EventLoop.sleep(for: pause)
      if pause != .zero || !world.happens(60) { latest = somebody() }
      temper.step(world).take(self, latest)
    }
    if world.violations.isEmpty { await rest() }
    end()
    return world.violations
  }

  func end() {
    for person in people { for client in person.clients { client.close() } }
    machine.end()
    link.end()
    world.report()
  }

  /// Mostly short pauses, sometimes a long one.
  private func pause() -> Duration {
    if world.happens(temper.leisure) { return .seconds(world.number(10...90)) }
    if let near = world.near(within: .seconds(60)) { return near }
    return switch world.number(0...9) {
    case 0, 1: .milliseconds(world.number(1000...8000))
    case 2, 3: .zero
    default: .milliseconds(world.number(1...400))
    }
  }

  private func somebody() -> Int {
    world.happens(temper.devotion) ? temper.favouritePerson : world.number(0...people.count - 1)
  }

  func connect(_ index: Int, subscribes: Bool) async {
    guard let client = try? Client(of: people[index].owner, at: machine, world, judge) else {
      return world.violate("an owner cannot connect")
    }
    people[index].clients.append(client)
    if subscribes { _ = await client.ask("event.subscribe") }
  }

  /// Kills the machine in the middle of its work, and restarts it from the contents of its disk.
  func crash() {
    starts += 1
    world.note("crash")
    do {
      let disk = try machine.crash(leaving: directory + "/\(starts)")
      machine = try Machine(on: disk, courier: directory + "/courier", in: world)
    } catch { return world.violate("it does not start again: \(error)") }
    startedAt = world.clock.uptime
    judge.restarts()
    for index in people.indices {
      people[index].clients = []
      EventLoop.task { [self] in await connect(index, subscribes: true) }
    }
  }
}
