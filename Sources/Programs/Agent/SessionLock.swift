internal import Bus
internal import EventLoop
internal import Journal

/// Whether the session is locked, by logind or by the screen saver, whichever says so.
@EventLoop
final class SessionLock {
  var onChange: (@EventLoop () -> Void)?

  /// The answer, `nil` before there is one; a session that nobody says anything about is not locked.
  private(set) var isLocked: Bool? {
    didSet {
      if isLocked != oldValue { onChange?() }
    }
  }

  private let session: Bus
  private let bySaver: LockWitness
  private let byLogind: LockWitness
  /// Whether the journal was told that the system's bus is not there.
  private var isAbsenceTold = false

  private static let saver = "org.freedesktop.ScreenSaver"
  private static let saverChange = "ActiveChanged"
  private static let logind = "org.freedesktop.login1"
  private static let sessions = "/org/freedesktop/login1/session"
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let change = "PropertiesChanged"
  private static let reconnecting = Duration.seconds(10)

  init(_ session: Bus) {
    self.session = session
    bySaver = LockWitness(
      BusCall(Self.saver, "/org/freedesktop/ScreenSaver", Self.saver, "GetActive"),
      on: session
    )
    byLogind = LockWitness(
      BusCall(
        Self.logind,
        Self.sessions + "/auto",
        Self.properties,
        "Get",
        [.string("org.freedesktop.login1.Session"), .string("LockedHint")]
      )
    )
    for witness in [bySaver, byLogind] { witness.onAnswer = { [weak self] in self?.judge() } }
  }

  /// Asks, and hears of changes from now on.
  func listen() async throws(BusError) {
    EventLoop.task { [weak self] in await self?.connectSystem() }
    try await session.listen(
      for: "type='signal',sender='\(Self.saver)',interface='\(Self.saver)',member='\(Self.saverChange)'"
    )
    try await session.listen(for: BusName.rule(for: Self.saver))
    bySaver.ask()
  }

  /// Has the screen saver asked anew where it says that something has changed, as anybody may say for it.
  func takeHead(_ signal: BusSignal) {
    if signal.interface == Self.saver, signal.name == Self.saverChange { bySaver.ask() }
  }

  /// Takes a signal if it is about who is the screen saver.
  func take(_ signal: BusSignal) {
    if BusName.owner(of: Self.saver, signal) != nil { bySaver.ask() }
  }

  /// One yes is enough, and for a no both have to have been asked.
  private func judge() {
    let answers = [bySaver.answer, byLogind.answer]
    isLocked = answers.contains(true) ? true : answers.contains(nil) ? nil : false
  }

  private func connectSystem() async {
    let bus: Bus
    do throws(BusError) { bus = try Bus(.system) } catch { return loseSystem() }
    bus.onEnd = { [weak self] in self?.loseSystem() }
    bus.onHead = { [weak self] signal in
      // Whatever it says: it is asked anew.
      if (signal.interface == Self.properties && signal.name == Self.change) || BusName.isChange(signal) {
        self?.byLogind.ask()
      }
      return false
    }
    do throws(BusError) {
      try await bus.listen(
        for: "type='signal',sender='\(Self.logind)',interface='\(Self.properties)',"
          + "member='\(Self.change)',path_namespace='\(Self.sessions)'"
      )
      try await bus.listen(for: BusName.rule(for: Self.logind))
    } catch {
      return bus.close()
    }
    isAbsenceTold = false
    byLogind.bus = bus
    byLogind.ask()
  }

  private func loseSystem() {
    if !isAbsenceTold {
      isAbsenceTold = true
      Journal.info("the system bus does not report whether the session is locked")
    }
    byLogind.bus = nil
    byLogind.ask()
    EventLoop.after(Self.reconnecting) { [weak self] in
      EventLoop.task { await self?.connectSystem() }
    }
  }
}

/// Somebody who knows whether the session is locked, asked anew whenever it may have changed.
@EventLoop
final class LockWitness {
  /// Is called with each answer.
  var onAnswer: (@EventLoop () -> Void)?
  /// The bus on which it is to be found; without it, it stands by what it said.
  var bus: Bus?
  /// What it said last, `nil` before there is anything; who was never there says no.
  private(set) var answer: Bool?

  private let question: BusCall
  private var isAsking = false
  private var asksAgain = false

  private static let patience = Duration.seconds(5)
  /// Between two questions, of which anybody's signals would make any number.
  private static let pause = Duration.milliseconds(100)
  /// What the bus answers for a program that has gone with a question.
  private static let noReply = "org.freedesktop.DBus.Error.NoReply"

  init(_ question: BusCall, on bus: Bus? = nil) { (self.question, self.bus) = (question, bus) }

  /// One question at a time; what changes meanwhile is asked after it.
  func ask() {
    asksAgain = true
    guard !isAsking else { return }
    isAsking = true
    EventLoop.task { [self] in
      while asksAgain {
        asksAgain = false
        answer = await reply()
        onAnswer?()
        try? await EventLoop.sleep(for: Self.pause)
      }
      isAsking = false
    }
  }

  private func reply() async -> Bool? {
    guard let bus else { return answer ?? false }
    do throws(BusError) {
      let value = try await bus.call(question, within: Self.patience).values.first
      return (value?.content ?? value)?.bool ?? false
    } catch {
      switch error {
      case .refused(let name) where name != Self.noReply: return false
      case .disconnected: return answer
      // Who is there and says nothing counts as yes.
      case .timedOut:
        askLater()
        return true
      case .refused, .failed, .malformed:
        askLater()
        return answer ?? true
      }
    }
  }

  private func askLater() { EventLoop.after(Self.patience) { [weak self] in self?.ask() } }
}
