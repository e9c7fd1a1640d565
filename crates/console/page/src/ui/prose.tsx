// Markdown as elements that are made here one by one. There is no way from its text to markup.
import { useMemo } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { parseMarkdown, type Block, type Inline } from '../text/markdown';
import { Inert } from './kit';

function Inlines({ nodes }: { readonly nodes: readonly Inline[] }): ComponentChildren {
  return nodes.map((node, at) => {
    switch (node.type) {
      case 'text': return <Inert key={at} text={node.text} />;
      case 'code': return <code key={at}><Inert text={node.text} /></code>;
      case 'break': return <br key={at} />;
      case 'strong': return <strong key={at}><Inlines nodes={node.children} /></strong>;
      case 'em': return <em key={at}><Inlines nodes={node.children} /></em>;
      case 'strike': return <s key={at}><Inlines nodes={node.children} /></s>;
      case 'link': return <a key={at} href={node.href} target="_blank" rel="noopener noreferrer nofollow" title={node.href}><Inlines nodes={node.children} /></a>;
      case 'image': return <span key={at} class="picture" title={`not fetched: ${node.href}`}>picture: <Inert text={node.alt || node.href} /></span>;
    }
  });
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.type) {
    case 'heading': {
      const Level = (['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const)[block.level - 1] ?? 'h6';
      return <Level><Inlines nodes={block.children} /></Level>;
    }
    case 'paragraph': return <p><Inlines nodes={block.children} /></p>;
    case 'code': return <pre tabIndex={0}><code><Inert text={block.text} /></code></pre>;
    case 'quote': return <blockquote><Blocks blocks={block.children} /></blockquote>;
    case 'rule': return <hr />;
    case 'list': {
      const items = block.items.map((item, at) => (
        <li key={at} class={item.checked === null ? '' : 'task'}>
          {item.checked === null ? <Blocks blocks={item.children} /> : (
            <div class="row top"><span role="img" aria-label={item.checked ? 'done' : 'not done'}>{item.checked ? '☑' : '☐'}</span><div><Blocks blocks={item.children} /></div></div>
          )}
        </li>
      ));
      return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return (
        <table>
          <thead><tr>{block.head.map((cell, at) => <th key={at} scope="col" class={block.align[at] ?? ''}><Inlines nodes={cell} /></th>)}</tr></thead>
          <tbody>{block.rows.map((row, at) => <tr key={at}>{row.map((cell, column) => <td key={column} class={block.align[column] ?? ''}><Inlines nodes={cell} /></td>)}</tr>)}</tbody>
        </table>
      );
  }
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }): ComponentChildren {
  return blocks.map((block, at) => <BlockView key={at} block={block} />);
}

export function Prose({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return <div class="prose"><Blocks blocks={blocks} /></div>;
}
