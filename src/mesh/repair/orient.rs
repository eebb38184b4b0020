//! Orients the faces of a closed mesh outward: turns single faces against the rest, and shells wound inside out.

use crate::geom::union_find::UnionFind;
use crate::mesh::TriMesh;
use crate::mesh::measure::{Volume, group_volumes};
use crate::mesh::repair::shell_nesting::{Nesting, turned_shells};
use crate::mesh::topology::{Components, EdgeCounts, HalfEdges};

/// Findings and changes of [`orient`].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent findings, each reported by itself")]
pub(crate) struct Oriented {
    /// Faces turned to agree with the rest of their shell.
    pub reoriented: u64,
    /// Faces of shells that were wound inside out, and turned.
    pub turned: u64,
    /// True if an outermost shell was turned.
    pub outer_turned: bool,
    /// True if some faces cannot agree: the surface has one side only.
    pub one_sided: bool,
    /// True if the mesh has too many shells for the nesting test; no shell was turned.
    pub undecided: bool,
    /// True if every edge is balanced afterwards.
    pub balanced: bool,
    /// Volume of the mesh afterwards.
    pub volume: Volume,
}

/// Makes the faces of a mesh without odd edges agree, then turns shells wound inside out. A mesh with odd edges stays
/// as it is. `whole` is the signed volume of the mesh as given.
pub(crate) fn orient(
    mesh: &mut TriMesh,
    edges: &mut HalfEdges,
    counts: &EdgeCounts,
    components: &Components,
    whole: Volume,
) -> Oriented {
    let mut done = Oriented { balanced: counts.unbalanced == 0, volume: whole, ..Oriented::default() };
    if counts.odd > 0 {
        return done;
    }
    if !done.balanced {
        let Some(flips) = agreeing(mesh, edges) else {
            return Oriented { one_sided: true, ..done };
        };
        edges.flip(&flips);
        done.balanced = edges.counts().unbalanced == 0;
        if !done.balanced {
            edges.flip(&flips);
            return done;
        }
        done.reoriented = turn(mesh, &flips);
    }
    if components.by_edge == 1 && counts.non_manifold == 0 && done.reoriented == 0 && whole.sign() >= 0 {
        return done;
    }
    let (shell, shells) = if counts.non_manifold == 0 {
        (components.of_face.clone(), components.by_edge)
    } else {
        closed_shells(mesh, edges)
    };
    let volumes = group_volumes(mesh, &shell, shells);
    if volumes.iter().all(|v| v.sign() >= 0) {
        done.volume = if done.reoriented > 0 { total(&volumes, &[]) } else { whole };
        return done;
    }
    let turned = match turned_shells(mesh, &shell, &volumes) {
        Nesting::Turn { turned, outer } => {
            done.outer_turned = outer;
            turned
        }
        Nesting::TooMany => {
            return Oriented { undecided: true, volume: total(&volumes, &[]), ..done };
        }
    };
    let flips: Vec<bool> = shell.iter().map(|&s| turned[s as usize]).collect();
    edges.flip(&flips);
    done.turned = turn(mesh, &flips);
    done.volume = total(&volumes, &turned);
    done
}

/// Adds the shells' volumes, with negated sign for turned shells.
fn total(volumes: &[Volume], turned: &[bool]) -> Volume {
    let mut sum = Volume::default();
    for (k, v) in volumes.iter().enumerate() {
        sum = sum.plus(v, turned.get(k).copied().unwrap_or(false));
    }
    sum
}

/// Turns the marked faces and counts them.
fn turn(mesh: &mut TriMesh, flips: &[bool]) -> u64 {
    let mut count = 0;
    for (t, _) in mesh.triangles.iter_mut().zip(flips).filter(|(_, f)| **f) {
        t.swap(1, 2);
        count += 1;
    }
    count
}

/// Marks faces to turn, until every edge of two faces is used once in each direction: within each patch the orientation
/// with the smaller area. `None` for a contradiction (a Möbius strip, a Klein bottle).
fn agreeing(mesh: &TriMesh, edges: &HalfEdges) -> Option<Vec<bool>> {
    let mut patches = UnionFind::new(mesh.triangles.len());
    for e in edges.edges() {
        if let [a, b] = e.uses
            && !patches.union(a.face(), b.face(), a.reversed() == b.reversed())
        {
            return None;
        }
    }
    let sides: Vec<(u32, bool)> = (0..mesh.triangles.len() as u32).map(|f| patches.find(f)).collect();
    let mut surplus = vec![0.0; sides.len()];
    for (t, &(root, opposite)) in mesh.triangles.iter().zip(&sides) {
        let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
        let area = (b - a).cross(&(c - a)).norm();
        surplus[root as usize] += if opposite { -area } else { area };
    }
    Some(sides.iter().map(|&(root, opposite)| opposite != (surplus[root as usize] < 0.0)).collect())
}

/// Groups the faces of a balanced mesh into closed shells: faces connected over edges of two faces; if such a patch is
/// open, all unbalanced patches at its edges form one shell. Two blocks with a common edge are two shells. Returns the
/// shell of each face and the number of shells.
fn closed_shells(mesh: &TriMesh, edges: &HalfEdges) -> (Vec<u32>, u32) {
    let mut sets = UnionFind::new(mesh.triangles.len());
    for e in edges.edges() {
        if let [a, b] = e.uses {
            sets.union(a.face(), b.face(), false);
        }
    }
    let (patch, _) = sets.label();
    let mut nets: Vec<(u32, i64, u32)> = Vec::new();
    for e in edges.edges().filter(|e| e.uses.len() > 2) {
        nets.clear();
        nets.extend(e.uses.iter().map(|u| (patch[u.face() as usize], if u.reversed() { -1 } else { 1 }, u.face())));
        nets.sort_unstable();
        let mut first = None;
        for group in nets.chunk_by(|a, b| a.0 == b.0) {
            if group.iter().map(|g| g.1).sum::<i64>() != 0 {
                let face = group[0].2;
                sets.union(*first.get_or_insert(face), face, false);
            }
        }
    }
    sets.label()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::mesh::measure::Measures;
    use crate::testkit::solids::{block, joined, reversed, translated};

    fn oriented(mesh: &mut TriMesh) -> Oriented {
        let mut edges = HalfEdges::of(&mesh.triangles, mesh.vertices.len());
        let (components, counts) = Components::counted(&mesh.triangles, mesh.vertices.len(), &edges);
        let whole = Measures::of(mesh).volume;
        let done = orient(mesh, &mut edges, &counts, &components, whole);
        let after = Measures::of(mesh).volume.signed;
        assert!((done.volume.signed - after).abs() < 1e-9, "{} {after}", done.volume.signed);
        assert_eq!(edges.counts(), HalfEdges::of(&mesh.triangles, mesh.vertices.len()).counts());
        done
    }

    fn at(mesh: &TriMesh, x: f64) -> TriMesh {
        translated(mesh, Vec3::repeat(x))
    }

    #[test]
    fn only_inside_out_blocks_are_flipped() {
        let mut good = block([0.0; 3], [1.0, 2.0, 3.0]);
        let copy = good.clone();
        assert_eq!((oriented(&mut good).turned, good == copy), (0, true));
        let mut bad = reversed(&copy);
        let done = oriented(&mut bad);
        assert_eq!((done.turned, done.reoriented, done.balanced), (12, 0, true));
        assert!((done.volume.signed - 6.0).abs() < 1e-12);
    }

    #[test]
    fn single_faces_against_the_rest_are_turned() {
        let mut mesh = block([0.0; 3], [1.0; 3]);
        for f in [1, 5, 6] {
            mesh.triangles[f].swap(0, 2);
        }
        let done = oriented(&mut mesh);
        assert_eq!((done.reoriented, done.turned, done.balanced), (3, 0, true));
        assert!((done.volume.signed - 1.0).abs() < 1e-12);
    }

    #[test]
    fn cavity_is_kept_and_inside_out_file_is_flipped() {
        let hollow = joined(&[block([0.0; 3], [10.0; 3]), reversed(&at(&block([0.0; 3], [2.0; 3]), 4.0))]);
        let mut mesh = hollow.clone();
        assert_eq!(oriented(&mut mesh).turned, 0);
        let mut mesh = reversed(&hollow);
        let done = oriented(&mut mesh);
        assert_eq!(done.turned, 24);
        assert!((done.volume.signed - 992.0).abs() < 1e-9);
    }

    #[test]
    fn inside_out_island_in_cavity_is_flipped_alone() {
        let island = reversed(&at(&block([0.0; 3], [1.0; 3]), 4.5));
        let mut mesh = joined(&[block([0.0; 3], [10.0; 3]), reversed(&at(&block([0.0; 3], [2.0; 3]), 4.0)), island]);
        let done = oriented(&mut mesh);
        assert_eq!(done.turned, 12);
        assert!((done.volume.signed - 993.0).abs() < 1e-9);
    }

    #[test]
    fn inside_out_block_touching_another_is_flipped() {
        let mut mesh = joined(&[
            block([0.0; 3], [1.0; 3]),
            reversed(&translated(&block([0.0; 3], [1.0; 3]), Vec3::new(1.0, 1.0, 0.0))),
        ]);
        // Corners 2 and 6 of the first block are corners 0 and 4 of the second.
        for t in mesh.triangles.iter_mut().skip(12) {
            *t = t.map(|i| match i {
                8 => 2,
                12 => 6,
                other => other,
            });
        }
        mesh.vertices[8] = mesh.vertices[2];
        mesh.vertices[12] = mesh.vertices[6];
        let done = oriented(&mut mesh);
        assert_eq!((done.turned, done.balanced), (12, true));
        assert!((done.volume.signed - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_surface_with_one_side_is_reported() {
        // The six-vertex projective plane: every edge has two faces, and no orientation fits.
        let triangles = vec![
            [0, 1, 2],
            [0, 2, 3],
            [0, 3, 4],
            [0, 4, 5],
            [0, 5, 1],
            [1, 2, 4],
            [2, 3, 5],
            [3, 4, 1],
            [4, 5, 2],
            [5, 1, 3],
        ];
        let vertices = (0..6).map(|i| Vec3::new(f64::from(i), f64::from(i * i), f64::from(i * i * i))).collect();
        let done = oriented(&mut TriMesh { vertices, triangles });
        assert!(done.one_sided && !done.balanced);
    }
}
