/// Why a text was refused as JSON.
package enum JSONError: Error, Equatable {
  /// Not JSON by RFC 8259, not UTF-8, or a lone surrogate; the offset counts bytes from the start.
  case malformed(offset: Int)
  /// An object has the same name twice, which two readers could understand differently.
  case duplicateName
  /// Arrays and objects are nested deeper than allowed.
  case tooDeep
}
