//! Strongly connected components (Tarjan 1972), without recursion.

/// The components of a graph, each in ascending order; a component comes after all that it leads
/// to.
pub(super) fn components(graph: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let mut index = vec![NEW; graph.len()];
    let mut low = vec![0; graph.len()];
    let mut on_stack = vec![false; graph.len()];
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    let mut work: Vec<(usize, usize)> = Vec::new();
    for root in 0..graph.len() {
        if index[root] != NEW {
            continue;
        }
        work.push((root, 0));
        while let Some((node, edge)) = work.pop() {
            if edge == 0 {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&to) = graph[node].get(edge) {
                work.push((node, edge + 1));
                if index[to] == NEW {
                    work.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            if low[node] == index[node] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                component.sort_unstable();
                found.push(component);
            }
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_components_and_come_after_what_they_lead_to() {
        let graph = vec![vec![1], vec![2, 3], vec![0], vec![4], vec![4], vec![0, 4]];
        assert_eq!(components(&graph), [vec![4], vec![3], vec![0, 1, 2], vec![5]]);
    }

    #[test]
    fn long_chains_do_not_overflow() {
        let graph: Vec<Vec<usize>> =
            (0..200_000).map(|i| if i < 199_999 { vec![i + 1] } else { vec![] }).collect();
        assert_eq!(components(&graph).len(), 200_000);
    }
}
