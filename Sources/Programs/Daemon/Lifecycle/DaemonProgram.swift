internal import Configuration
internal import EventLoop
import Glibc
internal import Journal
internal import Settings
internal import Synchronization
internal import UnixSockets
internal import Usage
internal import Vault

/// The program `mfad` from its arguments to its exit status.
public enum DaemonProgram {
  private static let cannotServe: Int32 = 1

  static let usage = DaemonOptions.usage

  /// Reports the error of an operation that needs a stopped daemon.
  ///
  /// `isOfMachine` is true if root began the operation, which then may have given up its user id.
  static func complain(of error: any Error, isOfMachine: Bool) {
    usage.complain("\(error)", hint: (error as? StateLock.Failure).flatMap { stopping($0, isOfMachine) })
  }

  /// Returns the command that stops the daemon, if a daemon holds the state.
  private static func stopping(_ failure: StateLock.Failure, _ isOfMachine: Bool) -> String? {
    guard case .held(let process) = failure else { return nil }
    guard access("/run/systemd/system", F_OK) == 0 else { return "\"kill \(process)\" stops it" }
    let manager = isOfMachine ? "systemctl" : "systemctl --user"
    return "\"\(manager) stop mfad.socket mfad.service mfad-key.service\" stops it; start it again afterwards"
  }

  /// Runs the daemon until it is asked to end, and returns its exit status.
  public static func main(_ arguments: [String]) -> Int32 {
    DaemonOptions.run(arguments, run)
  }

  private static func run(_ options: DaemonOptions) -> Int32 {
    let configuration: Configuration
    do { configuration = try options.configuration() } catch {
      // On a socket from the service manager, serve anyway, so that clients get the error as reply.
      if options.serves, ActivatedSocket.isHandedOver { return serve(options, misconfigured: error) }
      usage.complain("\(error)")
      return EX_CONFIG
    }
    if options.checksConfiguration {
      return usage.say(ConfigurationCheck.words(options.effectiveConfigurationFile, configuration))
    }
    Journal.level = configuration.logLevel
    if options.listsKeptOwners { return listKeptOwners(options, configuration) }
    if let file = options.restoredFile {
      _ = Hardening.apply()
      return RestoreProgram.run(file, options, configuration)
    }
    if let action = options.keyAction {
      _ = Hardening.apply()
      return KeyProgram.run(action, options, configuration)
    }
    return serve(options, configuration, isMemoryLocked: Hardening.apply())
  }

  /// Prints the owners that keep their state when the package is removed.
  ///
  /// Package scripts use it.
  private static func listKeptOwners(_ options: DaemonOptions, _ configuration: Configuration) -> Int32 {
    let directory = ProcessEnvironment.stateDirectory(
      flag: options.stateDirectory,
      configured: configuration.stateDirectory
    )
    // Do not create a database.
    guard let directory, access(Vault.path(in: directory), F_OK) == 0 else { return 0 }
    let status = Atomic(cannotServe)
    EventLoop.task {
      defer { EventLoop.stop() }
      do {
        let vault = try Vault(
          directory: directory,
          credential: configuration.keyEncryptionCredential,
          schema: DaemonSchema.current
        )
        let lines = try vault.keptOwners.map { "\($0)\n" }
        status.store(usage.say(lines.joined()), ordering: .relaxed)
      } catch { usage.complain("the state cannot be read: \(error)") }
    }
    EventLoop.run()
    return status.load(ordering: .relaxed)
  }

  private static func serve(
    _ options: DaemonOptions,
    _ configuration: Configuration,
    problem: ConfigurationError? = nil,
    isMemoryLocked: Bool
  ) -> Int32 {
    let settings = Settings(configuration, problem: problem) { (try? options.configuration()) != $0 }
    let daemon = Daemon(options: options, settings: settings, configuration, isMemoryLocked: isMemoryLocked)
    EventLoop.task { daemon.start() }
    EventLoop.run()
    return daemon.hasFailed ? cannotServe : 0
  }

  private static func serve(_ options: DaemonOptions, misconfigured error: ConfigurationError) -> Int32 {
    Journal.error("the configuration cannot be used", ["reason": error])
    return serve(options, options.salvagedConfiguration(), problem: error, isMemoryLocked: Hardening.apply())
  }
}
