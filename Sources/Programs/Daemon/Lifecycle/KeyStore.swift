internal import CLinux
internal import Configuration
internal import Glibc
internal import OpenSSL
internal import Processes
internal import SystemCalls
internal import UnixSockets
internal import Vault

/// Stores the key-encryption key: sealed by systemd-creds with the TPM or the host key, or in a file in the
/// state directory.
struct KeyStore {
  let stateDirectory: String
  let sealedFile: String
  let credential: String

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
  private static let maximumCount = 64 * 1024

  var isSealed: Bool { access(sealedFile, F_OK) == 0 }

  /// Returns the unsealed key material.
  func unsealed() throws -> Secret {
    Secret(copying: try creds(["decrypt", "--name=\(credential)", sealedFile, "-"], Secret(copying: [])))
  }

  /// Stages the key material for the file in the state directory.
  func keepInFile(_ material: Secret) throws -> Sealer.PlaceKey {
    try KeyFile.stage(material, for: stateDirectory + "/key")
  }

  /// Seals and stages the key material; its placing removes the file in the state directory.
  func seal(_ material: Secret) throws -> Sealer.PlaceKey {
    let sealed = try creds(["encrypt", "--name=\(credential)", "--with-key=auto", "-", "-"], material)
    var state = stat()
    guard stat(stateDirectory, &state) == 0 else { throw SystemError("stat") }
    // The service's group can read the sealing method from the file, but cannot unseal the key.
    let place = try asRoot {
      try KeyFile.stage(Secret(copying: sealed), for: sealedFile, group: state.st_gid)
    }
    return {
      try asRoot(place)
      unlink(stateDirectory + "/key")
    }
  }

  /// Runs systemd-creds with this input and returns its output.
  private func creds(_ arguments: [String], _ input: Secret) throws -> [UInt8] {
    try asRoot {
      let (source, sink) = (
        Descriptor(owning: clinux_memory_file()), Descriptor(owning: clinux_memory_file())
      )
      var bytes = input.withBytes { Array($0) }
      defer { wipe(&bytes) }
      guard write(source.number, bytes, bytes.count) == bytes.count, lseek(source.number, 0, SEEK_SET) == 0
      else {
        throw SystemError("write")
      }
      let process = try ChildProcess.start(
        "systemd-creds",
        // A user other than root needs --user, which seals for this user.
        getuid() == 0 ? arguments : [arguments[0], "--user"] + arguments.dropFirst(),
        environment: Self.environment,
        descriptors: [source, sink, Descriptor(owning: dup(STDERR_FILENO))]
      )
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      guard status == 0 else { throw Failure(description: "systemd-creds \(arguments[0]) failed") }
      var output = [UInt8](repeating: 0, count: Self.maximumCount)
      let count = pread(sink.number, &output, output.count, 0)
      guard count > 0 else { throw Failure(description: "systemd-creds \(arguments[0]) produced no output") }
      return Array(output[..<count])
    }
  }

  /// Runs `body` as root again if root has switched to the owner of the state.
  private func asRoot<R>(_ body: () throws -> R) throws -> R {
    guard clinux_may_return_to_root() == 1 else { return try body() }
    let (user, group) = (geteuid(), getegid())
    guard clinux_return_to_root() == 0 else { throw SystemError("setresuid") }
    defer { _ = clinux_become(user, group, 1) }
    return try body()
  }
}

// Shared by the administrator's programs.

extension KeyStore {
  init(_ options: DaemonOptions, _ configuration: Configuration) throws {
    let directory = ProcessEnvironment.stateDirectory(
      flag: options.stateDirectory,
      configured: configuration.stateDirectory
    )
    guard let directory, let sealedFile = options.sealedKey(configuration) else {
      throw Failure(description: "no state directory; use --state-directory")
    }
    self.init(
      stateDirectory: directory,
      sealedFile: sealedFile,
      credential: configuration.keyEncryptionCredential
    )
  }

  func places(unsealed: Secret?) -> KeyLocations {
    KeyLocations(
      directory: stateDirectory,
      credential: credential,
      sealedFile: sealedFile,
      unsealed: unsealed
    )
  }

  /// Switches from root to the owner of the state, since the service could not access files of root.
  ///
  /// The process can become root again only if it `seals` a key, because systemd-creds and the directory of the
  /// sealed key require root.
  func becomeOwner(seals: Bool) throws {
    var state = stat()
    guard geteuid() == 0, stat(stateDirectory, &state) == 0, state.st_uid != 0 else { return }
    guard clinux_become(state.st_uid, state.st_gid, seals ? 1 : 0) == 0 else {
      throw SystemError("setresuid")
    }
  }
}

extension RecoveryKey {
  /// Reads the recovery key from standard input.
  static func typed() throws -> RecoveryKey {
    guard let line = readLine(), let recovery = RecoveryKey(line) else {
      throw KeyStore.Failure(description: "a recovery key has eight groups of four letters and digits")
    }
    return recovery
  }
}
