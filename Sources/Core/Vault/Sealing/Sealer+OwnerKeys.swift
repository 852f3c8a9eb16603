internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import ControlAPI

extension Sealer {
  /// A new data key with its wrapped form for the row.
  package func makeDataKey(_ label: SealLabel) throws -> (key: DataKey, wrapped: [UInt8]) {
    let key = try DataKey.random()
    let ownerKey = try knownKey(of: label.owner) ?? makeKey(of: label.owner)
    return (key, try key.wrapped(by: ownerKey, as: label))
  }

  /// The data key of a row.
  package func dataKey(unwrapping wrapped: [UInt8], _ label: SealLabel) throws -> DataKey {
    guard let ownerKey = try knownKey(of: label.owner) else { throw SealingError.damaged }
    return try DataKey(unwrapping: wrapped, with: ownerKey, as: label)
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
}

extension SealLabel {
  static func ownerKey(_ owner: uid_t) -> SealLabel { SealLabel("owner.key", row: "", owner: owner) }
}
