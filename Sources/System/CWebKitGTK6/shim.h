// Nothing is imported into Swift: this library only carries the flags of pkg-config to CWebKitGTK,
// whose small interface spares every Swift file the headers of GTK.
