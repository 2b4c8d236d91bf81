// Three sends, given up when nothing moves any more.
// bounded: crates 3
// bounded: refunds 1
chan crates = [2] of { bit };
chan refunds = [1] of { bit };
active proctype Packer() { { crates!1; crates!1; crates!1 } unless { timeout -> refunds!1 } }
