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

/// Assembles the daemon's components and runs them until shutdown.
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

  /// Maximum time for requests in flight during shutdown.
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

  /// True if the daemon ended because it could not serve.
  nonisolated var hasFailed: Bool { failure.load(ordering: .relaxed) }

  /// Assembles the components and starts to serve.
  ///
  /// Stops the loop on failure.
  func start() {
    do {
      let parts = try assemble()
      self.parts = parts
      signals = try Signals([SIGTERM, SIGINT, SIGHUP]) { [weak self] signal in
        signal == SIGHUP ? self?.reload() : self?.finish()
      }
      let problem = settings.problem
      if problem == nil {
        // Detect a rolled-back state before clients get anything from it.
        parts.service.rollback.start()
        parts.service.backups.resume()
      }
      try parts.server.start()
      ServiceManager.notify("READY=1\nSTATUS=\(problem.map { "serving nothing: \($0)" } ?? "serving")")
      // With an invalid configuration, the state directory may be the wrong one, so its vault is not checked.
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

  /// Runs the start-up work that clients do not wait for.
  private func resume(_ parts: Parts) {
    EventLoop.task { [self] in
      tellOfMissingKey(parts.service.core.vault)
      await parts.service.resumePendingWork()
      // Not earlier, since the check competes with the first clients for the processor.
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
    guard let directory else { throw StartError(description: "there is no HOME; use --state-directory DIR") }
    let vault = try Vault(
      directory: directory,
      keys: KeyLocations(
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
    let sockets = [configuration.courierSocket, ProcessEnvironment.value("MFAD_COURIER_SOCKET")]
    let endpoint = CourierEndpoint.preferring(sockets: sockets, otherwise: command)
    let listener = try listener()
    if settings.problem == nil { RollbackCounter.makeDirectory(of: directory) }
    let confinement = confine(stateDirectory: directory, courier: endpoint)
    let courier = CourierClient(endpoint, allowedOrigins: configuration.allowedOrigins) {
      // Commit changes to disk before any server is notified of them.
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
      throw StartError(description: "the tables of methods and handlers differ")
    }
    Hardening.allow(connections: configuration.maximumConnections)
    let server = ControlServer(
      listener: listener,
      router: router,
      users: UserLookup(time: time),
      memory: service.core.memory,
      time: time,
      limits: (configuration.maximumConnections, configuration.maximumConnectionsPerUser)
    )
    return Parts(courier: courier, service: service, server: server)
  }

  /// Applies the confinement before client input is read and before the database is opened.
  private func confine(stateDirectory: String, courier: CourierEndpoint) -> [String] {
    let outcome = Confinement.daemon(
      settings.current,
      configurationFile: options.effectiveConfigurationFile,
      stateDirectory: stateDirectory,
      courier: courier
    ).enforce()
    Journal.info("confined", ["by": outcome.inForce.joined(separator: ",")])
    for part in outcome.missing {
      Journal.warning("the kernel does not support a kind of confinement", ["kind": part])
    }
    return outcome.inForce
  }

  private func listener() throws -> Descriptor {
    if let inherited = try ActivatedSocket.take() {
      socket?.compareWithInherited()
      return inherited
    }
    guard let socket else { throw StartError(description: ControlSocket.missingDirectory) }
    return try socket.listen()
  }

  /// Checks the pages of the database.
  ///
  /// Requests that need damaged pages fail. The administrator decides whether to restore a backup.
  private func check(_ vault: Vault) async {
    do {
      // Throws if the WAL is damaged. The check would otherwise open and close the only connection to the
      // database, and SQLite would then discard the commits after the damage.
      _ = try vault.database
      let damaged = try await vault.check.countDamagedPages()
      guard damaged > 0 else { return Journal.debug("the pages of the database are undamaged") }
      tellOfDamage("\(damaged)")
    } catch let error as SQLiteError where error.kind == .corrupt {
      tellOfDamage("unknown")
    } catch let error as SQLiteError where error.kind == .missing {
      tellOfMissingDatabase(error)
    } catch {
      Journal.warning("the database cannot be checked", ["reason": "\(error)"])
    }
  }

  private func tellOfDamage(_ pages: String) {
    Journal.error("pages of the database are damaged", ["pages": pages])
    let backup = parts?.service.backups.directory.newest
    let remedy = backup.map { "mfad --restore \($0) restores the newest backup" } ?? "there is no backup"
    ServiceManager.notify("STATUS=serving from a damaged database; \(remedy)")
  }

  private func tellOfMissingDatabase(_ error: SQLiteError) {
    Journal.error("no empty database is created", ["reason": error])
    ServiceManager.notify(
      "STATUS=serving without the missing database; mfad --restore FILE restores a backup"
    )
  }

  /// Reports a missing key-encryption key, for example after the loss of a TPM.
  ///
  /// Requests that need no key still work.
  private func tellOfMissingKey(_ vault: Vault) {
    guard vault.sealer.isKeyMissing else { return }
    Journal.warning("refusing requests that need the missing key-encryption key; mfad --recover restores it")
    ServiceManager.notify("STATUS=serving without the key-encryption key; mfad --recover restores it")
  }

  /// Rereads the configuration and applies the changes that do not need a restart.
  private func reload() {
    ServiceManager.notifyReloading()
    do {
      let new = try options.configuration()
      // The daemon started with an invalid configuration and lacks components. Restart it with the valid one.
      if settings.problem != nil { return startAnew() }
      for key in settings.current.keysThatNeedRestart(comparedWith: new) {
        Journal.warning("a changed configuration key needs a restart", ["key": key])
      }
      settings.current = settings.current.applying(new)
    } catch {
      if settings.problem != nil { settings.problem = error }
      let state = settings.problem == nil ? "serving with the previous configuration" : "serving nothing"
      ServiceManager.notify("READY=1\nSTATUS=\(state): \(error)")
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
      Journal.error("the changed relays cannot be used", ["reason": "\(error)"])
    }
    Hardening.allow(connections: configuration.maximumConnections)
    parts?.server.limits = (configuration.maximumConnections, configuration.maximumConnectionsPerUser)
  }

  /// Exits with a failure, so that the service manager restarts the daemon.
  private func startAnew() {
    Journal.info("restarting with the valid configuration")
    failure.store(true, ordering: .relaxed)
    // Stop accepting, so that new clients wait for the restarted daemon. Exit later, since the reload fails
    // if the daemon exits before the service manager has noticed the end of the reload.
    parts?.server.finish()
    ServiceManager.notify("READY=1\nSTATUS=restarting")
    EventLoop.after(Self.patience) { [weak self] in self?.finish() }
  }

  /// Shuts down after answering pending requests.
  ///
  /// Requests that still wait for the network after `patience` are cancelled.
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
      try? parts.service.core.finish()
      parts.service.rollback.finish()
      // Closing the last connection checkpoints the WAL.
      parts.service.core.vault.forgetDatabase()
      EventLoop.stop()
    }
  }
}
