import JSON
import OpenSSL

@testable import Approvals
@testable import SignOn
@testable import Vault

extension FuzzTarget {
  private static let label = SealLabel("fuzz.row", row: "row", owner: 1000)
  private static let key = DataKey(Secret(copying: [UInt8](repeating: 7, count: DataKey.byteCount)))

  /// Data in the database, maybe written without the key, or by an older version.
  static let stored = [
    FuzzTarget("sealed-row") { bytes in
      _ = try key.open(bytes, as: label)
      require(false, "nobody seals by chance")
    },
    FuzzTarget("stored-json") { bytes in
      let opened = try JSON(parsing: try key.open(try key.seal(bytes, as: label), as: label))
      let content = ApprovalRequest.Content(stored: opened)
      require(
        ApprovalRequest.Content(stored: content.stored).stored == content.stored,
        "what is stored reads as itself"
      )
      _ = KeptSession(opened)?.json
      _ = JourneySession(opened)?.json
    },
  ]
}
