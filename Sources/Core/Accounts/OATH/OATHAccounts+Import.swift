internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import OATH
internal import OATHExports
internal import OpenSSL

extension OATHAccounts {
  /// Makes an account of passcodes, or the passcodes of the account that their other half has just become.
  func take(_ record: OATHRecord, after other: Imports.Outcome?, owner: uid_t) throws -> Imports.Outcome {
    let credential: OATHCredential
    do throws(ExportedEntry.Skip) { credential = try record.credential() } catch {
      return .skipped(.init(error))
    }
    let sameness = try Self.sameness(of: credential)
    guard try !accounts.isInForce(kind: .oath, owner: owner, sameness: sameness) else { return .exists(nil) }
    let secret = OATHSecret(credential)
    if let account = other?.account {
      if let known = try passcodes.secret(of: account) {
        if known.makesSame(as: secret) { return .exists(account) }
      } else if other?.isMade == true {
        try passcodes.insert(secret, of: account)
        return .made(account)
      }
    }
    guard try accounts.hasRoom(for: owner) else { return .skipped(.quota) }
    return .made(try insert(credential, sameness, owner: owner))
  }
}

extension OATHSecret {
  /// Whether the passcodes are the same, wherever one that counts has got to.
  fileprivate func makesSame(as other: OATHSecret) -> Bool {
    guard algorithm == other.algorithm, digits == other.digits else { return false }
    switch (moving, other.moving) {
    case (.time(let period), .time(let other)) where period == other: break
    case (.counter, .counter): break
    case (.time, _), (.counter, _): return false
    }
    return secret.withBytes { one in other.secret.withBytes { constantTimeEqual(one, $0) } }
  }
}
