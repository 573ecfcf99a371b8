import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.ar.ArabicAnalyzer;
import org.apache.lucene.analysis.bg.BulgarianAnalyzer;
import org.apache.lucene.analysis.bn.BengaliAnalyzer;
import org.apache.lucene.analysis.ca.CatalanAnalyzer;
import org.apache.lucene.analysis.cjk.CJKAnalyzer;
import org.apache.lucene.analysis.cz.CzechAnalyzer;
import org.apache.lucene.analysis.da.DanishAnalyzer;
import org.apache.lucene.analysis.de.GermanAnalyzer;
import org.apache.lucene.analysis.el.GreekAnalyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.es.SpanishAnalyzer;
import org.apache.lucene.analysis.et.EstonianAnalyzer;
import org.apache.lucene.analysis.eu.BasqueAnalyzer;
import org.apache.lucene.analysis.fa.PersianAnalyzer;
import org.apache.lucene.analysis.fi.FinnishAnalyzer;
import org.apache.lucene.analysis.fr.FrenchAnalyzer;
import org.apache.lucene.analysis.ga.IrishAnalyzer;
import org.apache.lucene.analysis.gl.GalicianAnalyzer;
import org.apache.lucene.analysis.hi.HindiAnalyzer;
import org.apache.lucene.analysis.hu.HungarianAnalyzer;
import org.apache.lucene.analysis.hy.ArmenianAnalyzer;
import org.apache.lucene.analysis.id.IndonesianAnalyzer;
import org.apache.lucene.analysis.it.ItalianAnalyzer;
import org.apache.lucene.analysis.lt.LithuanianAnalyzer;
import org.apache.lucene.analysis.lv.LatvianAnalyzer;
import org.apache.lucene.analysis.ne.NepaliAnalyzer;
import org.apache.lucene.analysis.nl.DutchAnalyzer;
import org.apache.lucene.analysis.no.NorwegianAnalyzer;
import org.apache.lucene.analysis.pt.PortugueseAnalyzer;
import org.apache.lucene.analysis.ro.RomanianAnalyzer;
import org.apache.lucene.analysis.ru.RussianAnalyzer;
import org.apache.lucene.analysis.sr.SerbianAnalyzer;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.sv.SwedishAnalyzer;
import org.apache.lucene.analysis.ta.TamilAnalyzer;
import org.apache.lucene.analysis.te.TeluguAnalyzer;
import org.apache.lucene.analysis.th.ThaiAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tr.TurkishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Ranks the pages of a collection with Lucene and its analyzer of the language, a question as OR of its words. Reads lines of three
 * fields parted by tabs from standard input: `page` or `query`, id, text (on one line). Writes lines of a query's id and the ids of
 * its pages, best first, parted by tabs. The argument is the language.
 */
public class LucenePages {
  static Analyzer analyzerOf(String language) {
    return switch (language) {
      case "ar" -> new ArabicAnalyzer();
      case "bg" -> new BulgarianAnalyzer();
      case "bn" -> new BengaliAnalyzer();
      case "ca" -> new CatalanAnalyzer();
      case "cs" -> new CzechAnalyzer();
      case "da" -> new DanishAnalyzer();
      case "de" -> new GermanAnalyzer();
      case "el" -> new GreekAnalyzer();
      case "en" -> new EnglishAnalyzer();
      case "es" -> new SpanishAnalyzer();
      case "et" -> new EstonianAnalyzer();
      case "eu" -> new BasqueAnalyzer();
      case "fa" -> new PersianAnalyzer();
      case "fi" -> new FinnishAnalyzer();
      case "fr" -> new FrenchAnalyzer();
      case "ga" -> new IrishAnalyzer();
      case "gl" -> new GalicianAnalyzer();
      case "hi" -> new HindiAnalyzer();
      case "hu" -> new HungarianAnalyzer();
      case "hy" -> new ArmenianAnalyzer();
      case "id" -> new IndonesianAnalyzer();
      case "it" -> new ItalianAnalyzer();
      case "lt" -> new LithuanianAnalyzer();
      case "lv" -> new LatvianAnalyzer();
      case "ne" -> new NepaliAnalyzer();
      case "nl" -> new DutchAnalyzer();
      case "no" -> new NorwegianAnalyzer();
      case "pt" -> new PortugueseAnalyzer();
      case "ro" -> new RomanianAnalyzer();
      case "ru" -> new RussianAnalyzer();
      case "sr" -> new SerbianAnalyzer();
      case "sv" -> new SwedishAnalyzer();
      case "ta" -> new TamilAnalyzer();
      case "te" -> new TeluguAnalyzer();
      case "th" -> new ThaiAnalyzer();
      case "tr" -> new TurkishAnalyzer();
      case "zh", "ja", "ko" -> new CJKAnalyzer();
      default -> new StandardAnalyzer();
    };
  }

  public static void main(String[] arguments) throws Exception {
    Analyzer analyzer = analyzerOf(arguments[0]);
    List<String[]> queries = new ArrayList<>();
    StringBuilder out = new StringBuilder();
    try (ByteBuffersDirectory directory = new ByteBuffersDirectory()) {
      try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer));
          Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8)) {
        lines.useDelimiter("\n");
        while (lines.hasNext()) {
          String[] fields = lines.next().split("\t", 3);
          if (fields.length < 3) continue;
          if (fields[0].equals("query")) {
            queries.add(fields);
            continue;
          }
          Document page = new Document();
          page.add(new StringField("id", fields[1], Field.Store.YES));
          page.add(new TextField("text", fields[2], Field.Store.NO));
          writer.addDocument(page);
        }
      }
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        IndexSearcher searcher = new IndexSearcher(reader);
        for (String[] query : queries) {
          BooleanQuery.Builder words = new BooleanQuery.Builder();
          try (TokenStream stream = analyzer.tokenStream("text", query[2])) {
            CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
            stream.reset();
            while (stream.incrementToken())
              words.add(new TermQuery(new Term("text", term.toString())), BooleanClause.Occur.SHOULD);
            stream.end();
          }
          out.append(query[1]);
          for (ScoreDoc hit : searcher.search(words.build(), 10).scoreDocs)
            out.append('\t').append(searcher.storedFields().document(hit.doc).get("id"));
          out.append('\n');
        }
      }
    }
    System.out.write(out.toString().getBytes(StandardCharsets.UTF_8));
    System.out.flush();
  }
}
