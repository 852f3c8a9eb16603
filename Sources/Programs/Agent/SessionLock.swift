internal import Bus
internal import EventLoop
internal import Journal

/// The lock state of the session: locked if logind or the screen saver says so.
@EventLoop
final class SessionLock {
  var onChange: (@EventLoop () -> Void)?

  /// True if the session is locked; `nil` before the first answers.
  ///
  /// If neither logind nor a screen saver is available, the session counts as not locked.
  private(set) var isLocked: Bool? {
    didSet {
      if isLocked != oldValue { onChange?() }
    }
  }

  private let session: Bus
  private let bySaver: LockStateProbe
  private let byLogind: LockStateProbe
  /// True if the journal already says that the system bus is unavailable.
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
    bySaver = LockStateProbe(
      BusCall(Self.saver, "/org/freedesktop/ScreenSaver", Self.saver, "GetActive"),
      on: session
    )
    byLogind = LockStateProbe(
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

  /// Queries both services and subscribes to changes.
  func listen() async throws(BusError) {
    EventLoop.task { [weak self] in await self?.connectSystem() }
    try await session.listen(
      for: "type='signal',sender='\(Self.saver)',interface='\(Self.saver)',member='\(Self.saverChange)'"
    )
    try await session.listen(for: BusName.rule(for: Self.saver))
    bySaver.ask()
  }

  /// Queries the screen saver again after a change signal.
  ///
  /// Any program may send this signal, so its value is ignored.
  func takeHead(_ signal: BusSignal) {
    if signal.interface == Self.saver, signal.name == Self.saverChange { bySaver.ask() }
  }

  /// Queries the screen saver again if its bus name has a new owner.
  func take(_ signal: BusSignal) {
    if BusName.owner(of: Self.saver, signal) != nil { bySaver.ask() }
  }

  /// Sets `isLocked`: true if one service says so, false if both have answered no, otherwise `nil`.
  private func judge() {
    let answers = [bySaver.answer, byLogind.answer]
    isLocked = answers.contains(true) ? true : answers.contains(nil) ? nil : false
  }

  private func connectSystem() async {
    let bus: Bus
    do throws(BusError) { bus = try Bus(.system) } catch { return loseSystem() }
    bus.onEnd = { [weak self] in self?.loseSystem() }
    bus.onHead = { [weak self] signal in
      // The value of the signal is ignored; logind is queried again.
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

/// A service that knows the lock state, queried again after each possible change.
@EventLoop
final class LockStateProbe {
  /// Called after each answer.
  var onAnswer: (@EventLoop () -> Void)?
  /// The bus of the service; without a bus, the last answer stays valid.
  var bus: Bus?
  /// True if the last answer was "locked"; `nil` before the first answer.
  ///
  /// A service that was never available counts as "not locked".
  private(set) var answer: Bool?

  private let question: BusCall
  private var isAsking = false
  private var asksAgain = false

  private static let patience = Duration.seconds(5)
  /// Minimum interval between queries, because any program's signals can trigger them.
  private static let pause = Duration.milliseconds(100)
  /// The error by which the bus reports that the service disappeared during the call.
  private static let noReply = "org.freedesktop.DBus.Error.NoReply"

  init(_ question: BusCall, on bus: Bus? = nil) { (self.question, self.bus) = (question, bus) }

  /// Queries the service, one call at a time.
  ///
  /// A change during the call causes another query after it.
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
      // A service that does not respond counts as "locked".
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
