internal import Accounts
internal import Approvals
internal import Configuration
internal import Confinement
internal import CourierLink
internal import EventLoop
internal import Glibc
internal import Journal
internal import PingAM
internal import PingOne
internal import PushRelay
internal import SQLite
internal import Settings
internal import SignOn
internal import Synchronization
internal import Time
internal import UnixSockets
internal import Usage
internal import Vault
internal import WebAddress

/// The whole daemon: its parts put together, and its life from READY to the end.
@EventLoop
final class Daemon {
  private let options: DaemonOptions
  private let socket: ControlSocket?
  private let time = TimeSource.system
  private let isMemoryLocked: Bool
  private nonisolated let failure = Atomic(false)
  private let settings: Settings
  private var parts: Parts?
  private var signals: Signals?
  private var watchdog: Watchdog?

  private struct Parts {
    let courier: CourierClient
    let service: Service
    let server: ControlServer
  }

  /// How long answers under way may take once the daemon is asked to end.
  private static let patience = Duration.milliseconds(600)
  private static let checkInterval = Duration.milliseconds(10)

  nonisolated init(
    options: DaemonOptions,
    settings: Settings,
    _ configuration: Configuration,
    isMemoryLocked: Bool
  ) {
    (self.options, self.settings, self.isMemoryLocked) = (options, settings, isMemoryLocked)
    socket = ControlSocket(flag: options.socket, configuration: configuration)
  }

  /// Whether the daemon ended because it could not serve.
  nonisolated var hasFailed: Bool { failure.load(ordering: .relaxed) }

  /// Puts everything together and serves; ends the loop if that cannot be.
  func start() {
    do {
      let parts = try assemble()
      self.parts = parts
      signals = try Signals([SIGTERM, SIGINT, SIGHUP]) { [weak self] signal in
        signal == SIGHUP ? self?.reload() : self?.finish()
      }
      let problem = settings.problem
      if problem == nil {
        // What an older copy of the state would give away, nobody gets before it is noticed.
        parts.service.rollback.start()
        parts.service.backups.resume()
      }
      try parts.server.start()
      ServiceManager.notify("READY=1\nSTATUS=\(problem.map { "serving nothing: \($0)" } ?? "serving")")
      // Nothing of the state is looked at by a configuration that may mean another.
      watchdog = Watchdog(problem == nil ? parts.service.core.vault : nil)
      watchdog?.start()
      Journal.info("serving", ["version": Version.literal, "socket": socket?.path ?? "inherited"])
      if problem == nil { resume(parts) }
    } catch {
      Journal.error("the daemon cannot start", ["reason": "\(error)"])
      failure.store(true, ordering: .relaxed)
      EventLoop.stop()
    }
  }

  /// What is not needed to serve comes after the first clients.
  private func resume(_ parts: Parts) {
    EventLoop.task { [self] in
      tellOfMissingKey(parts.service.core.vault)
      await parts.service.takeUp()
      // Not before: whoever asks first would share the processor with it.
      EventLoop.task { await self.check(parts.service.core.vault) }
      await parts.service.resume()
    }
  }

  private struct StartError: Error, CustomStringConvertible {
    let description: String
  }

  private func assemble() throws -> Parts {
    let configuration = settings.current
    let directory = ProcessEnvironment.stateDirectory(
      flag: options.stateDirectory,
      configured: configuration.stateDirectory
    )
    guard let directory else { throw StartError(description: "there is no place for the state") }
    let vault = try Vault(
      directory: directory,
      keys: KeyPlaces(
        directory: directory,
        credential: configuration.keyEncryptionCredential,
        sealedFile: options.sealedKey(configuration)
      ),
      schema: DaemonSchema.current
    )
    let command = CourierCommand.besideThisProgram(
      configurationFile: options.effectiveConfigurationFile,
      platform: options.platform?.text
    )
    let endpoint = CourierEndpoint.preferring(socket: configuration.courierSocket, otherwise: command)
    let listener = try listener()
    if settings.problem == nil { RollbackCounter.makeDirectory(of: directory) }
    let confinement = confine(stateDirectory: directory, courier: endpoint)
    let courier = CourierClient(endpoint, allowedOrigins: configuration.allowedOrigins) {
      // No server is told of a change before the change is on the disk.
      try await vault.committed()
    }
    let gauge = PostureGauge(stateDirectory: directory, time: time)
    let service = Service(
      vault: vault,
      courier: courier,
      description: .thisMachine(applicationID: configuration.applicationID),
      settings: settings,
      isMemoryLocked: isMemoryLocked,
      confinement: confinement,
      time: time,
      posture: { gauge.posture },
      writtenPosture: { gauge.writtenPosture }
    )
    guard let router = Router(service: service) else {
      throw StartError(description: "the tables of methods and handlers do not agree")
    }
    Hardening.allow(connections: configuration.maximumConnections)
    let server = ControlServer(
      listener: listener,
      router: router,
      users: UserRegister(time: time),
      derivations: service.accounts.imports.lane,
      time: time,
      limits: (configuration.maximumConnections, configuration.maximumConnectionsPerUser)
    )
    return Parts(courier: courier, service: service, server: server)
  }

  /// Before a byte of anybody's is read, and before the database is opened.
  private func confine(stateDirectory: String, courier: CourierEndpoint) -> [String] {
    let outcome = Confinement.daemon(
      settings.current,
      configurationFile: options.effectiveConfigurationFile,
      stateDirectory: stateDirectory,
      courier: courier
    ).enforce()
    Journal.info("confined", ["by": outcome.inForce.joined(separator: ",")])
    for part in outcome.missing {
      Journal.warning("the kernel offers no confinement of a kind", ["kind": part])
    }
    return outcome.inForce
  }

  private func listener() throws -> Descriptor {
    if let inherited = try ActivatedSocket.take() {
      socket?.compareWithInherited()
      return inherited
    }
    guard let socket else { throw StartError(description: "there is no place for the socket") }
    return try socket.listen()
  }

  /// What is damaged is refused, what is not is served; how to go on is for the administrator to say.
  private func check(_ vault: Vault) async {
    do {
      // What cannot be opened is left as it is: whoever closes it last would give up what its log holds.
      _ = try vault.database
      let damaged = try await vault.check.countDamagedPages()
      guard damaged > 0 else { return Journal.debug("the pages of the database are as they were written") }
      tellOfDamage("\(damaged)")
    } catch let error as SQLiteError where error.kind == .corrupt { tellOfDamage("unknown") } catch {
      Journal.warning("the database cannot be checked", ["reason": "\(error)"])
    }
  }

  private func tellOfDamage(_ pages: String) {
    Journal.error("pages of the database are not as they were written", ["pages": pages])
    let backup = parts?.service.backups.directory.newest
    let remedy = backup.map { "mfad --restore \($0) puts the newest backup back" } ?? "there is no backup"
    ServiceManager.notify("STATUS=serving what is left of a damaged database; \(remedy)")
  }

  /// A lost TPM, for one, ends no service; what needs no key goes on.
  private func tellOfMissingKey(_ vault: Vault) {
    guard vault.sealer.isKeyMissing else { return }
    Journal.warning("what needs the key-encryption key is refused until mfad --recover brings it back")
    ServiceManager.notify("STATUS=serving without its key, which mfad --recover brings back")
  }

  /// Reads the configuration again and applies what can be applied while running.
  private func reload() {
    ServiceManager.notifyReloading()
    do {
      let new = try options.configuration()
      // What could not be used has no parts that go on: it is begun anew with what can.
      if settings.problem != nil { return startAnew() }
      for key in settings.current.keysThatNeedRestart(comparedWith: new) {
        Journal.warning("a changed key needs a restart", ["key": key])
      }
      settings.current = settings.current.applying(new)
    } catch {
      if settings.problem != nil { settings.problem = error }
      let what = settings.problem == nil ? "serving by the configuration before" : "serving nothing"
      ServiceManager.notify("READY=1\nSTATUS=\(what): \(error)")
      return Journal.error("the configuration was not read again", ["reason": error])
    }
    apply()
    ServiceManager.notify("READY=1\nSTATUS=serving")
    Journal.info("the configuration was read again")
  }

  private func apply() {
    let configuration = settings.current
    Journal.level = configuration.logLevel
    parts?.courier.allow(configuration.allowedOrigins)
    parts?.service.examiner.forget()
    parts?.service.pingOne.devices.pin(Set(configuration.platformKeys))
    do { try parts?.service.relays.resume() } catch {
      Journal.error("the relays are not followed as they are now", ["reason": "\(error)"])
    }
    Hardening.allow(connections: configuration.maximumConnections)
    parts?.server.limits = (configuration.maximumConnections, configuration.maximumConnectionsPerUser)
  }

  /// Ends, so that the service manager starts it again.
  private func startAnew() {
    Journal.info("the configuration can be used now")
    failure.store(true, ordering: .relaxed)
    // Whoever comes now waits for the next one. A service that ends while its reload is under way has failed that too:
    // the service manager is left the time to see that it is done.
    parts?.server.finish()
    ServiceManager.notify("READY=1\nSTATUS=beginning anew")
    EventLoop.after(Self.patience) { [weak self] in self?.finish() }
  }

  /// Ends: answers what was asked, then leaves; what waits for the network is told that it will not come.
  private func finish() {
    ServiceManager.notify("STOPPING=1\nSTATUS=ending")
    Journal.info("ending")
    guard let parts else { return EventLoop.stop() }
    parts.server.finish()
    parts.service.pingOne.poller.stopAll()
    parts.service.relays.stopAll()
    let deadline = time.uptime() + Self.patience
    EventLoop.task { [self] in
      while parts.server.isBusy, time.uptime() < deadline {
        try? await EventLoop.sleep(for: Self.checkInterval)
      }
      parts.courier.stop()
      let lastWord = time.uptime() + Self.checkInterval * 10
      while parts.server.isBusy, time.uptime() < lastWord {
        try? await EventLoop.sleep(for: Self.checkInterval)
      }
      parts.server.close()
      try? parts.service.core.vault.commit()
      parts.service.rollback.finish()
      // Whoever closes the file brings the log into it.
      parts.service.core.vault.forgetDatabase()
      EventLoop.stop()
    }
  }
}
