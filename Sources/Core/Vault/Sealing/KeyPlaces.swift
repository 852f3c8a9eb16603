internal import Glibc
public import OpenSSL

/// Where the key-encryption key may be, the best place first.
public struct KeyPlaces: Sendable {
  /// The state directory, with the key file.
  let directory: String
  /// The name of the credential, and of what is handed over and sealed.
  let credential: String
  /// Where systemd-creds keeps it sealed, if it does.
  let sealedFile: String?
  /// Material that whoever opens the state has unsealed already.
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

  /// Whether the key is kept sealed, be it that it can be had now or not.
  public var isSealed: Bool { sealedFile.map { access($0, F_OK) == 0 } ?? false }

  /// What of the places is there, or why it cannot be read.
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

  /// The first 16 bytes of what systemd-creds made name what it is sealed by, in Base64: these are the kinds that no
  /// machine opens without its TPM.
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
