internal import CLinux
internal import Configuration
internal import Glibc
internal import OpenSSL
internal import Processes
internal import SystemCalls
internal import UnixSockets
internal import Vault

/// What keeps the key-encryption key: systemd-creds, which seals it by the machine's TPM or by the key of the host, or a
/// file in the state directory.
struct KeyKeeper {
  let stateDirectory: String
  let sealedFile: String
  let credential: String

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
  private static let maximumCount = 64 * 1024

  var isSealed: Bool { access(sealedFile, F_OK) == 0 }

  /// The material that is kept sealed.
  func unsealed() throws -> Secret {
    Secret(copying: try creds(["decrypt", "--name=\(credential)", sealedFile, "-"], Secret(copying: [])))
  }

  /// Keeps the material in the file of the state directory.
  func keepInFile(_ material: Secret) throws { try KeyFile.write(material, to: stateDirectory + "/key") }

  /// Keeps the material sealed, and nowhere else any more.
  func seal(_ material: Secret) throws {
    let sealed = try creds(["encrypt", "--name=\(credential)", "--with-key=auto", "-", "-"], material)
    var state = stat()
    guard stat(stateDirectory, &state) == 0 else { throw SystemError("stat") }
    // The service reads of it by what it is sealed, and cannot open it.
    try asRoot { try KeyFile.write(Secret(copying: sealed), to: sealedFile, group: state.st_gid) }
    unlink(stateDirectory + "/key")
  }

  /// Runs systemd-creds with this as its input, and returns its output.
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
        // A user's credentials are sealed by the service manager for that user.
        getuid() == 0 ? arguments : [arguments[0], "--user"] + arguments.dropFirst(),
        environment: Self.environment,
        descriptors: [source, sink, Descriptor(owning: dup(STDERR_FILENO))]
      )
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      guard status == 0 else { throw Failure(description: "systemd-creds \(arguments[0]) failed") }
      var output = [UInt8](repeating: 0, count: Self.maximumCount)
      let count = pread(sink.number, &output, output.count, 0)
      guard count > 0 else { throw Failure(description: "systemd-creds \(arguments[0]) said nothing") }
      return Array(output[..<count])
    }
  }

  /// Root has become the owner of the state; what is the machine's is done as root again.
  private func asRoot<R>(_ body: () throws -> R) throws -> R {
    let (user, group) = (geteuid(), getegid())
    guard getuid() == 0, user != 0 else { return try body() }
    guard seteuid(0) == 0, setegid(0) == 0 else { throw SystemError("seteuid") }
    defer {
      setegid(group)
      seteuid(user)
    }
    return try body()
  }
}

// What the programs that an administrator runs have in common.

extension KeyKeeper {
  init(_ options: DaemonOptions, _ configuration: Configuration) throws {
    let directory = ProcessEnvironment.stateDirectory(
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
