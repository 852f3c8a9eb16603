internal import OATHExports
public import OpenSSL

extension Secret {
  /// Decodes Base32; `nil` if the text is not Base32 in its canonical form.
  public convenience init?(base32 text: String) { self.init(wiping: Base32.decode(text)) }

  /// Decodes Base32 as users and servers write secrets; `nil` if the text is not Base32.
  public convenience init?(lenientBase32 text: String) { self.init(wiping: Base32.decodeLeniently(text)) }

  private convenience init?(wiping bytes: consuming [UInt8]?) {
    guard var bytes else { return nil }
    self.init(copying: bytes)
    wipe(&bytes)
  }
}
