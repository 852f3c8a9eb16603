internal import Configuration
import Glibc
internal import OpenSSL
internal import SystemCalls
internal import Vault

// What the programs that an administrator runs have in common.

extension KeyKeeper {
  init(_ options: DaemonOptions, _ configuration: Configuration) throws {
    let directory = Environment.stateDirectory(
      flag: options.stateDirectory,
      configured: configuration.stateDirectory
    )
    guard let directory, let sealedFile = options.sealedKey(configuration) else {
      throw Failure(description: "there is no place for the state")
    }
    self.init(
      stateDirectory: directory,
      sealedFile: sealedFile,
      credential: configuration.keyEncryptionCredential
    )
  }

  func places(unsealed: Secret?) -> KeyPlaces {
    KeyPlaces(directory: stateDirectory, credential: credential, sealedFile: sealedFile, unsealed: unsealed)
  }

  /// What root makes in the state directory would be beyond the service's reach.
  func becomeOwner() throws {
    var state = stat()
    guard geteuid() == 0, stat(stateDirectory, &state) == 0, state.st_uid != 0 else { return }
    guard setegid(state.st_gid) == 0, seteuid(state.st_uid) == 0 else { throw SystemError("seteuid") }
  }
}

extension RecoveryKey {
  /// The one on standard input.
  static func typed() throws -> RecoveryKey {
    guard let line = readLine(), let recovery = RecoveryKey(line) else {
      throw KeyKeeper.Failure(description: "a recovery key is eight groups of four letters and digits")
    }
    return recovery
  }
}
