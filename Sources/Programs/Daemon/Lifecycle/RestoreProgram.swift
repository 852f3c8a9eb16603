internal import Configuration
internal import EventLoop
import Glibc
internal import Synchronization
internal import Time
internal import Usage
internal import Vault

/// Replaces the state with a backup while no daemon runs: `mfad --restore FILE`.
enum RestoreProgram {
  /// Returns the exit status.
  static func run(_ file: String, _ options: DaemonOptions, _ configuration: Configuration) -> Int32 {
    let status = Atomic(EXIT_FAILURE)
    let isRoot = getuid() == 0
    EventLoop.task {
      defer { EventLoop.stop() }
      do {
        let text = try restore(file, options, configuration)
        status.store(DaemonProgram.usage.say(text), ordering: .relaxed)
      } catch { DaemonProgram.complain(of: error, isOfMachine: isRoot) }
    }
    EventLoop.run()
    return status.load(ordering: .relaxed)
  }

  @EventLoop
  private static func restore(
    _ file: String,
    _ options: DaemonOptions,
    _ configuration: Configuration
  ) throws -> String {
    let keeper = try KeyStore(options, configuration)
    // Open the file as root, since the owner of the state may be unable to read it.
    let backup = try OpenBackup(file)
    let recovery = try options.keyAction == .recover ? RecoveryKey.typed() : nil
    let isSealed = keeper.isSealed
    let unsealed = recovery == nil && isSealed ? try keeper.unsealed() : nil
    try keeper.becomeOwner(seals: isSealed)
    let restoration = try Restoration(
      of: backup,
      into: keeper.stateDirectory,
      keys: keeper.places(unsealed: unsealed),
      schema: DaemonSchema.current,
      time: .system
    )
    let isMerged = try restoration.run(DaemonSchema.components, recovery: recovery) { material in
      try (isSealed ? keeper.seal(material) : keeper.keepInFile(material))()
    }
    return isMerged ? "restored\n" : "restored; the previous state could not be read and was not merged\n"
  }
}
