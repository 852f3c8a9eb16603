internal import Glibc
public import OpenSSL

/// The places of the key-encryption key, in order of preference.
public struct KeyLocations: Sendable {
  /// The state directory, with the key file.
  let directory: String
  /// The name of the credential and of the sealed file.
  let credential: String
  /// Path of the key that systemd-creds has sealed; if the key is not sealed, the file is missing.
  let sealedFile: String?
  /// Key material that the caller has already unsealed.
  let unsealed: Secret?

  public init(
    directory: String,
    credential: String = "mfad.kek",
    sealedFile: String? = nil,
    unsealed: Secret? = nil
  ) {
    (self.directory, self.credential) = (directory, credential)
    (self.sealedFile, self.unsealed) = (sealedFile, unsealed)
  }

  var keyFile: String { directory + "/key" }

  /// True if the key is stored sealed, even if it is not available now.
  public var isSealed: Bool { sealedFile.map { access($0, F_OK) == 0 } ?? false }

  /// Returns for each place with a key either the key or the error of reading it.
  func candidates() -> [Result<KeyEncryptionKey, any Error>] {
    var candidates: [Result<KeyEncryptionKey, any Error>] = []
    let sealing: KeyEncryptionKey.Source = isBoundToTPM ? .tpm2 : .credential
    if let unsealed { candidates.append(Result { try KeyEncryptionKey(unsealed, sealing) }) }
    for variable in ["CREDENTIALS_DIRECTORY", "MFAD_KEY_DIRECTORY"] {
      guard let directory = getenv(variable) else { continue }
      let path = String(cString: directory) + "/" + credential
      guard access(path, F_OK) == 0 else { continue }
      candidates.append(Result { try KeyEncryptionKey(KeyFile.read(path, mayBeShared: true), sealing) })
    }
    if access(keyFile, F_OK) == 0 {
      candidates.append(Result { try KeyEncryptionKey(KeyFile.read(keyFile, mayBeShared: false), .keyFile) })
    }
    return candidates
  }

  /// The first characters, in Base64, of credentials that systemd-creds has sealed with the TPM.
  ///
  /// The first 16 bytes of a sealed credential identify the kind of its key.
  private static let kindsOfTPM = [
    "DHzAexF2RZGcSwvqCLwg/", "+vfrk0HjQSyhpDb5Wik2L", "k6iUCUh0RJCQyvL8k8q1U", "r0lQqEkTTrGnOEYwT/MMB",
    "70rBNnmpSA6n22iJf58WX", "rbxMo++2QgG6iBtvLkCV6",
  ]

  private var isBoundToTPM: Bool {
    guard let sealedFile, let file = fopen(sealedFile, "re") else { return false }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 21)
    guard fread(&bytes, 1, bytes.count, file) == bytes.count else { return false }
    return Self.kindsOfTPM.contains(String(decoding: bytes, as: UTF8.self))
  }
}
