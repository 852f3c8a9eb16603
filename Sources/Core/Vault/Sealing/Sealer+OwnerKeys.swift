internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import ControlAPI

extension Sealer {
  /// A new data key with its wrapped form for the row.
  package func makeDataKey(_ label: SealLabel) throws -> (key: DataKey, wrapped: [UInt8]) {
    let key = try DataKey.random()
    return (key, try wrap(key, label))
  }

  /// The data key of a row.
  package func dataKey(unwrapping wrapped: [UInt8], _ label: SealLabel) throws -> DataKey {
    guard wrapped.first == Self.form, wrapped.count == WrappedKeys.oldCount + 1 else {
      return try DataKey(unwrapping: wrapped, with: wrappingKey(), as: label)
    }
    guard let ownerKey = try knownKey(of: label.owner) else { throw SealingError.damaged }
    return try DataKey(unwrapping: Array(wrapped.dropFirst()), with: ownerKey, as: label)
  }

  /// What a data key begins with that an owner's key wraps; those of the first release begin with a nonce, are a byte
  /// shorter, and are wrapped by the key-encryption key until they are adopted.
  private static let form: UInt8 = 1

  private func wrap(_ key: DataKey, _ label: SealLabel) throws -> [UInt8] {
    let ownerKey = try knownKey(of: label.owner) ?? makeKey(of: label.owner)
    return [Self.form] + (try key.wrapped(by: ownerKey, as: label))
  }

  func knownKey(of owner: uid_t) throws -> DataKey? {
    if let key = ownerKeys[owner] { return key }
    guard let vault, let wrapped = try vault.ownerKey(of: owner) else { return nil }
    let key = try DataKey(unwrapping: wrapped, with: wrappingKey(), as: .ownerKey(owner))
    ownerKeys[owner] = key
    return key
  }

  func makeKey(of owner: uid_t) throws -> DataKey {
    guard let vault else { throw RPCError.keyUnavailable }
    let key = try DataKey.random()
    try vault.insertOwnerKey(try key.wrapped(by: wrappingKey(), as: .ownerKey(owner)), of: owner)
    ownerKeys[owner] = key
    return key
  }

  /// Makes everything that is sealed for an owner unreadable for ever, once what was changed is on the disk.
  func destroyKey(of owner: uid_t) throws {
    (ownerKeys[owner], guardKeys[owner]) = (nil, nil)
    try vault?.destroyOwnerKey(of: owner)
  }

  /// Has every data key that the key-encryption key wraps itself, as in the first release, wrapped by its owner's.
  ///
  /// Returns whether there were any.
  func adoptDataKeys(_ tables: [WrappedKeys]) throws -> Bool {
    guard let vault else { return false }
    var found = false
    for table in tables {
      for row in try table.oldRows(in: vault) {
        let label = SealLabel(table.label, row: row.id, owner: row.owner)
        let key = try unlessDamaged("data key", of: row.owner) {
          try dataKey(unwrapping: row.wrapped, label)
        }
        guard let key else { continue }
        try table.put(try wrap(key, label), row.number, in: vault)
        found = true
      }
    }
    return found
  }
}

extension SealLabel {
  static func ownerKey(_ owner: uid_t) -> SealLabel { SealLabel("owner.key", row: "", owner: owner) }
}
