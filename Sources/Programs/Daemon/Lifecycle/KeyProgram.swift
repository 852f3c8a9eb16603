internal import Configuration
internal import EventLoop
import Glibc
internal import OpenSSL
internal import Synchronization
internal import Usage
internal import Vault

/// Operations on the key-encryption key while no daemon runs: `mfad --rekey`, `--seal` and `--recover`.
@EventLoop
struct KeyProgram {
  enum Action: Sendable {
    /// Create a new key and store it like the previous one.
    case rekey
    /// Create a new key and store it sealed.
    case seal
    /// Recover the key and store it again.
    case recover
  }

  private let keeper: KeyStore

  private static let advice = """
    Keep the recovery key away from this machine. It is shown only once, and restores a lost
    key-encryption key.

    """

  /// Returns the exit status.
  nonisolated static func run(
    _ action: Action,
    _ options: DaemonOptions,
    _ configuration: Configuration
  ) -> Int32 {
    let status = Atomic(EXIT_FAILURE)
    let isRoot = getuid() == 0
    EventLoop.task {
      defer { EventLoop.stop() }
      do {
        try KeyProgram(options, configuration).perform(action)
        status.store(EXIT_SUCCESS, ordering: .relaxed)
      } catch { DaemonProgram.complain(of: error, isOfMachine: isRoot) }
    }
    EventLoop.run()
    return status.load(ordering: .relaxed)
  }

  private init(_ options: DaemonOptions, _ configuration: Configuration) throws {
    keeper = try KeyStore(options, configuration)
  }

  private func perform(_ action: Action) throws {
    let isSealed = action == .seal || keeper.isSealed
    let stage: Sealer.StageKey = { try isSealed ? keeper.seal($0) : keeper.keepInFile($0) }
    guard action != .recover else {
      let recovery = try RecoveryKey.typed()
      let vault = try vault(unsealed: nil, seals: isSealed)
      return try withExtendedLifetime(vault) { try vault.sealer.recoverKey(recovery, stage: stage) }
    }
    let vault = try vault(unsealed: keeper.isSealed ? keeper.unsealed() : nil, seals: isSealed)
    let recovery = try RecoveryKey()
    // Print the new recovery key before any change, so that the old key stays valid if printing fails.
    guard DaemonProgram.usage.say("recovery key: \(recovery.text)\n\(Self.advice)") == 0 else {
      throw KeyStore.Failure(description: "the recovery key cannot be shown")
    }
    try withExtendedLifetime(vault) { try vault.sealer.changeKey(recovery: recovery, stage: stage) }
  }

  private func vault(unsealed: Secret?, seals: Bool) throws -> Vault {
    try keeper.becomeOwner(seals: seals)
    return try Vault(
      directory: keeper.stateDirectory,
      keys: keeper.places(unsealed: unsealed),
      schema: DaemonSchema.current
    )
  }
}
