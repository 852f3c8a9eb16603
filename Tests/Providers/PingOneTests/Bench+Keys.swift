import EventLoop
import Glibc
import TestPlatform
import Testing

@testable import PingOne

extension Bench {
  /// Returns the keys of an owner's device.
  func keys(of owner: uid_t = Bench.owner) throws -> IdentityKeys {
    try life.devices.keys(of: #require(try identity(of: owner)))
  }
}
