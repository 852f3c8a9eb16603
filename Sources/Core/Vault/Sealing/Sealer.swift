internal import ControlAPI
package import EventLoop
package import Glibc
internal import JSONRPC
internal import Journal
internal import OpenSSL
internal import SQLite

/// Two levels of keys: the key-encryption key wraps a random data key for each family of rows.
@EventLoop
package final class Sealer {
  weak var vault: Vault?
  let places: KeyPlaces
  /// The key, once it was asked for.
  var keyEncryptionKey: KeyEncryptionKey?
  private var digestKey: HMACContext?

  nonisolated init(_ places: KeyPlaces) { self.places = places }

  /// What keeps the key-encryption key: tpm2, credential, key-file or unavailable.
  package var source: String { (try? loadedKey().source.rawValue) ?? "unavailable" }

  /// A new data key with its wrapped form for the row.
  package func makeDataKey(_ label: SealLabel) throws -> (key: DataKey, wrapped: [UInt8]) {
    let key = try DataKey.random()
    return (key, try key.wrapped(by: loadedKey().key, as: label))
  }

  /// The data key of a row.
  package func dataKey(unwrapping wrapped: [UInt8], _ label: SealLabel) throws -> DataKey {
    try DataKey(unwrapping: wrapped, with: loadedKey().key, as: label)
  }

  /// By which personal data is found without being read: a keyed digest of a name and the parts that it belongs to.
  package func digest(_ name: StaticString, _ parts: [String]) throws -> [UInt8] {
    var message = Array("\(name)".utf8)
    for part in parts {
      // A length before each part keeps two lists from having one digest.
      message += Array("/\(part.utf8.count)/".utf8) + Array(part.utf8)
    }
    return Array(try loadedDigestKey().code(for: message).prefix(16))
  }

  /// What a row says, or nothing if a value sealed in it does not open; any other failure is not the row's.
  package func unlessDamaged<R>(_ thing: StaticString, of owner: uid_t, _ read: () throws -> R) throws -> R? {
    do { return try read() } catch let error as RPCError { throw error } catch let error as SQLiteError {
      throw error
    } catch {
      Journal.error("a sealed value does not open", ["thing": thing, "uid": owner])
      return nil
    }
  }

  func loadedKey() throws -> KeyEncryptionKey {
    if let keyEncryptionKey { return keyEncryptionKey }
    guard let vault else { throw RPCError.keyUnavailable }
    let (proof, successor) = (try vault.meta(.proof), try vault.meta(.successor))
    do {
      let key = try KeyEncryptionKey.load(from: places, mayCreate: proof == nil) {
        try $0.fitting(proof, successor: successor)
      }
      if proof == nil {
        let proof = try DataKey.seal([], with: key.key, as: .proof)
        try vault.write { _ in try vault.setMeta(.proof, proof) }
      }
      keyEncryptionKey = key
      return key
    } catch {
      Journal.error("the key-encryption key cannot be had", ["reason": "\(error)"])
      throw RPCError.keyUnavailable
    }
  }

  private func loadedDigestKey() throws -> HMACContext {
    if let digestKey { return digestKey }
    guard let vault else { throw RPCError.keyUnavailable }
    let keyEncryptionKey = DataKey(try loadedKey().key)
    let key: Secret
    if let sealed = try vault.meta(.digestKey) {
      key = try keyEncryptionKey.openSecret(sealed, as: .digestKey)
    } else {
      key = try Secret.random(count: DataKey.byteCount)
      let sealed = try keyEncryptionKey.seal(key, as: .digestKey)
      try vault.write { _ in try vault.setMeta(.digestKey, sealed) }
    }
    let context = try HMACContext(.sha256, key: key)
    digestKey = context
    return context
  }

  /// Forgets keys that may have been made in a turn that was undone.
  func forgetKeys() { (keyEncryptionKey, digestKey) = (nil, nil) }
}
