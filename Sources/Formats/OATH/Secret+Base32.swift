internal import OATHExports
public import OpenSSL

extension Secret {
  /// The bytes of a text in Base32; `nil` if it is none, or not the one way to write them.
  public convenience init?(base32 text: String) { self.init(wiping: Base32.decode(text)) }

  /// The bytes of a text in Base32 as people and servers write secrets; `nil` if it is none.
  public convenience init?(lenientBase32 text: String) { self.init(wiping: Base32.decodeLeniently(text)) }

  private convenience init?(wiping bytes: consuming [UInt8]?) {
    guard var bytes else { return nil }
    self.init(copying: bytes)
    wipe(&bytes)
  }
}
