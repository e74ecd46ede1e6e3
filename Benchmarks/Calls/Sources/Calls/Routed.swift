@inline(never)
func sum(_ a: Int, _ b: Int, _ c: Int) -> Int { a &+ b &* c }

struct Wide {
    var a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8
    var i = 1.5, j = 2.5, k = 3.5, l = 4.5
    var m = true, n = false, o = true, p = false
    var q = "a name", r = "a street", s = "a city", t = "a country"
}

@inline(never)
func turned(_ wide: Wide) -> Wide {
    var copy = wide
    copy.a = wide.b &+ 1
    return copy
}
